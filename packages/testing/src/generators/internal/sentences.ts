/** Natural texts to generate from. In each language the first is the shortest, so that a text shrinks to a word. */

export const fragments: Readonly<Record<string, ReadonlyArray<string>>> = {
  en: [
    "a",
    "Hello.",
    "This are a small test.",
    "The report was finished on time, and nobody noticed teh mistake.",
    "Please send us the invoice before the end of the month.",
    "We would of liked to meet you in person next week."
  ],
  de: [
    "Tag",
    "Guten Morgen!",
    "Das Wetter ist heute sehr schön.",
    "Bitte schicken Sie uns die Rechnung bis zum Ende des Monats.",
    "Größe und Farbe können wir noch ändern.",
    "Der Bericht wurde gestern fertig, aber niemand hat ihn gelesen."
  ],
  fr: [
    "oui",
    "Bonjour à tous !",
    "Il fait très beau aujourd’hui.",
    "Veuillez nous envoyer la facture avant la fin du mois.",
    "L’été dernier, nous étions à Orléans avec nos enfants.",
    "Le rapport est prêt, mais personne ne l’a encore lu."
  ],
  es: [
    "sí",
    "¡Buenos días!",
    "Hoy hace muy buen tiempo en la ciudad.",
    "Por favor, envíenos la factura antes de fin de mes.",
    "¿Cuándo llega el próximo tren a Sevilla?",
    "El informe está listo, pero nadie lo ha leído todavía."
  ],
  it: [
    "no",
    "Buongiorno a tutti!",
    "Oggi il tempo è molto bello.",
    "Vi preghiamo di inviarci la fattura entro la fine del mese.",
    "Perché non andiamo insieme al mercato della città?",
    "La relazione è pronta, ma nessuno l’ha ancora letta."
  ],
  pt: [
    "não",
    "Bom dia a todos!",
    "Hoje o tempo está muito bom na cidade.",
    "Por favor, envie-nos a fatura antes do fim do mês.",
    "Não sabemos quando chegam as encomendas de Lisboa.",
    "O relatório está pronto, mas ninguém o leu ainda."
  ],
  ja: [
    "猫",
    "こんにちは。",
    "今日はとても天気がいいです。",
    "月末までに請求書をお送りください。",
    "次の会議は火曜日の午後三時に始まります。",
    "カタカナとひらがなが混ざった文章です。"
  ],
  zh: [
    "猫",
    "你好。",
    "今天天气很好。",
    "请在月底之前把发票寄给我们。",
    "下一次会议星期二下午三点开始。",
    "报告已经写好了,但是还没有人看。"
  ],
  ko: [
    "네",
    "안녕하세요.",
    "오늘은 날씨가 아주 좋습니다.",
    "이달 말까지 청구서를 보내 주십시오.",
    "다음 회의는 화요일 오후 세 시에 시작합니다.",
    "보고서는 준비되었지만 아직 아무도 읽지 않았습니다."
  ],
  ar: ["نعم", "مرحبا بكم.", "الطقس جميل جدا اليوم.", "يرجى إرسال الفاتورة قبل نهاية الشهر."],
  he: ["כן", "שלום לכולם.", "היום מזג האוויר יפה מאוד.", "אנא שלחו לנו את החשבונית עד סוף החודש."],
  ru: ["да", "Доброе утро!", "Сегодня очень хорошая погода.", "Пожалуйста, пришлите нам счёт до конца месяца."],
  el: ["ναι", "Καλημέρα!", "Ο καιρός είναι πολύ ωραίος σήμερα."],
  th: ["ใช่", "สวัสดีครับ", "วันนี้อากาศดีมาก"],
  hi: ["हाँ", "नमस्ते।", "आज मौसम बहुत अच्छा है।"],
  pl: ["tak", "Dzień dobry!", "Dziś jest bardzo ładna pogoda, zażółć gęślą jaźń."],
  tr: ["evet", "Günaydın!", "Bugün hava çok güzel, İstanbul’da güneş var."],
  vi: ["có", "Xin chào!", "Hôm nay thời tiết rất đẹp."]
}

/** The index of the first sentence of a language; the fragments before it are too short to reveal their language. */
export const firstSentence = 2

/** Ends of texts that do not reveal a language. */
const letterless = ["", " ", "\n", "\t ", "👋", "👩‍👩‍👧‍👦", "🇩🇪", "\u00a0", "100 %"]

/** The number of edges without letters, which come first. */
export const letterlessEdges = letterless.length

/** Ends of texts: white space, emoji, marks, markup, and characters outside of the first plane. */
export const edges: ReadonlyArray<string> = [
  ...letterless,
  "e\u0301",
  "\u200f!",
  "<b>x</b>",
  "&amp;",
  "\"quoted\" \\ back",
  "𝒳",
  "null"
]
