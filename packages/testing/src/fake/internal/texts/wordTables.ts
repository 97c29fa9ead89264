/** Word replacements. Keys are in lower case; a replacement keeps the text's case. */

export type WordTable = ReadonlyMap<string, string>

const table = (...lines: ReadonlyArray<string>): WordTable =>
  new Map(
    lines.flatMap((line) => line.split(", ")).map((entry) => {
      const [from = "", to = ""] = entry.split(" > ")
      return [from, to] as const
    })
  )

export const misspellings: Readonly<Record<string, WordTable>> = {
  en: table(
    "teh > the, recieve > receive, recieved > received, seperate > separate, definately > definitely, occured > occurred",
    "untill > until, wich > which, becuase > because, beleive > believe, freind > friend, adress > address",
    "tommorow > tomorrow, tomorow > tomorrow, goverment > government, enviroment > environment, neccessary > necessary",
    "accomodate > accommodate, begining > beginning, calender > calendar, wierd > weird, thier > their, truely > truly",
    "alot > a lot, cant > can't, dont > don't, doesnt > doesn't, didnt > didn't, isnt > isn't, wont > won't",
    "mispelled > misspelled, grammer > grammar, sentance > sentence, langauge > language, succesful > successful"
  ),
  de: table(
    "vieleicht > vielleicht, warscheinlich > wahrscheinlich, standart > Standard, addresse > Adresse, entgültig > endgültig",
    "seperat > separat, rythmus > Rhythmus, morgends > morgens, nähmlich > nämlich, zumindestens > zumindest",
    "agressiv > aggressiv, akustig > Akustik, interresse > Interesse, orginal > Original, projeckt > Projekt"
  ),
  fr: table(
    "language > langage, developper > développer, parmis > parmi, malgrès > malgré, quelquechose > quelque chose",
    "connection > connexion, aujourdhui > aujourd'hui, interessant > intéressant, probleme > problème, déja > déjà"
  ),
  es: table(
    "haiga > haya, tambien > también, dificil > difícil, facil > fácil, ademas > además, despues > después",
    "aqui > aquí, asi > así, atravez > a través, enserio > en serio, osea > o sea, nadien > nadie"
  ),
  it: table(
    "perchè > perché, qual'è > qual è, pò > po', sopratutto > soprattutto, propio > proprio, accellerare > accelerare",
    "daccordo > d'accordo, pultroppo > purtroppo, cosi > così, gia > già, piu > più"
  ),
  pt: table(
    "concerteza > com certeza, derrepente > de repente, voce > você, tambem > também, dificil > difícil, facil > fácil",
    "excessão > exceção, previlégio > privilégio, nao > não, entao > então, menas > menos"
  )
}

const twice = [/\b(the|a|an|to|of|is|are|and|in|on|for)(?: \1)+\b/gi, "$1"] as const

export const grammar: ReadonlyArray<readonly [wrong: RegExp, right: string]> = [
  [/\b(I|you|we|they) has\b/gi, "$1 have"],
  [/((?:^|[.!?]\s+)(?:he|she|it)) have\b/gi, "$1 has"],
  [/\b(he|she|it) don't\b/gi, "$1 doesn't"],
  [/\b(you|we|they) was\b/gi, "$1 were"],
  [/\b(could|should|would|must) of\b/gi, "$1 have"],
  [/\b(have|has|had) (receive|believe|arrive)\b/gi, "$1 $2d"],
  twice,
  [/\ba (?!one\b|once\b|eu)([aeio])(?=\w)/g, "an $1"],
  // Applied again, because the previous rule turns "a an" into "an an".
  twice
]

const inflected = (from: string, to: string, endings: string): ReadonlyArray<readonly [string, string]> =>
  endings.split(" ").map((ending) => {
    const end = ending === "-" ? "" : ending
    return [`${from}${end}`, `${to}${end}`] as const
  })

const americanToBritish: WordTable = new Map([
  ...inflected("color", "colour", "- s ed ing ful less"),
  ...inflected("favor", "favour", "- s ed ing ite ites able"),
  ...inflected("honor", "honour", "- s ed ing able"),
  ...inflected("flavor", "flavour", "- s ed ing"),
  ...inflected("neighbor", "neighbour", "- s ing hood hoods"),
  ...inflected("labor", "labour", "- s ed ing"),
  ...inflected("behavior", "behaviour", "- s al"),
  ...inflected("humor", "humour", "- ed"),
  ...inflected("harbor", "harbour", "- s"),
  ...inflected("rumor", "rumour", "- s ed"),
  ...inflected("center", "centre", "- s"),
  ...inflected("theater", "theatre", "- s"),
  ...inflected("liter", "litre", "- s"),
  ...inflected("organiz", "organis", "e es ed ing ation ations er ers"),
  ...inflected("realiz", "realis", "e es ed ing ation"),
  ...inflected("recogniz", "recognis", "e es ed ing"),
  ...inflected("apologiz", "apologis", "e es ed ing"),
  ...inflected("emphasiz", "emphasis", "ed ing"),
  ...inflected("summariz", "summaris", "e es ed ing"),
  ...inflected("optimiz", "optimis", "e es ed ing ation"),
  ...inflected("analyz", "analys", "e ed ing"),
  ...inflected("catalog", "catalogue", "- s"),
  ...inflected("dialog", "dialogue", "- s"),
  ...inflected("travel", "travell", "ed ing er ers"),
  ...inflected("cancel", "cancell", "ed ing"),
  ...inflected("model", "modell", "ed ing"),
  ...inflected("label", "labell", "ed ing"),
  ...table(
    "centered > centred, centering > centring, gray > grey, defense > defence, offense > offence, jewelry > jewellery",
    "aluminum > aluminium, plow > plough, pajamas > pyjamas"
  )
])

const brazilianToEuropean = table(
  "ônibus > autocarro, trem > comboio, trens > comboios, celular > telemóvel, celulares > telemóveis, equipe > equipa",
  "equipes > equipas, usuário > utilizador, usuários > utilizadores, arquivo > ficheiro, arquivos > ficheiros",
  "tela > ecrã, telas > ecrãs, banheiro > casa de banho, geladeira > frigorífico, sorvete > gelado"
)

const reversed = (table: WordTable): WordTable => new Map(Array.from(table, ([from, to]) => [to, from]))

export const variants: Readonly<Record<string, WordTable>> = {
  "en-GB": americanToBritish,
  "en-US": reversed(americanToBritish),
  "pt-PT": brazilianToEuropean,
  "pt-BR": reversed(brazilianToEuropean)
}

export const plainer: Readonly<Record<string, WordTable>> = {
  en: table(
    "utilize > use, utilise > use, in order to > to, due to the fact that > because, at this point in time > now",
    "a large number of > many, in the event that > if, prior to > before, with regard to > about"
  ),
  de: table("zum jetzigen zeitpunkt > jetzt, aufgrund der tatsache dass > weil, in der lage sein > können"),
  fr: table("afin de > pour, au jour d'aujourd'hui > aujourd'hui, par la suite > ensuite"),
  es: table("con el fin de > para, a día de hoy > hoy, debido a que > porque"),
  it: table("al fine di > per, al giorno d'oggi > oggi, a causa del fatto che > perché"),
  pt: table("com o objetivo de > para, nos dias de hoje > hoje, devido ao fato de que > porque")
}

const expanded =
  "don't > do not, doesn't > does not, didn't > did not, can't > cannot, won't > will not, isn't > is not, aren't > are not, i'm > I am, i've > I have, it's > it is, we're > we are"

/** Words of a writing style, for English only. */
export const styleWords: Readonly<Record<string, WordTable>> = {
  academic: table(expanded, "a lot of > a great deal of, big > substantial, enough > sufficient"),
  business: table(
    expanded,
    "hi > hello, thanks > thank you, asap > as soon as possible, buy > purchase, need > require"
  ),
  casual: table("do not > don't, cannot > can't, will not > won't, hello > hi, thank you > thanks, purchase > buy"),
  simple: table("commence > start, terminate > end, assistance > help, approximately > about, sufficient > enough")
}

export const hedges: Readonly<Record<string, RegExp>> = {
  en: /\b(?:I think(?: that)?|I guess|maybe|perhaps|probably|kind of|sort of),? /gi,
  de: /\b(?:vielleicht|eventuell|irgendwie) /gi,
  fr: /\b(?:peut-être|sans doute|en quelque sorte) /gi,
  es: /\b(?:quizás|tal vez|a lo mejor) /gi,
  it: /\b(?:forse|magari|in qualche modo) /gi,
  pt: /\b(?:talvez|porventura|de certa forma) /gi
}

/** Closing sentences, keyed by tone or style, then by language. */
export const closings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  business: {
    en: "Kind regards.",
    de: "Mit freundlichen Grüßen.",
    fr: "Cordialement.",
    es: "Atentamente.",
    it: "Cordiali saluti.",
    pt: "Atenciosamente."
  },
  academic: {
    en: "Further research is needed.",
    de: "Weitere Forschung ist nötig.",
    fr: "D'autres recherches sont nécessaires.",
    es: "Se necesitan más estudios.",
    it: "Sono necessari ulteriori studi.",
    pt: "São necessários mais estudos."
  },
  casual: {
    en: "Cheers!",
    de: "Liebe Grüße!",
    fr: "À bientôt !",
    es: "¡Un saludo!",
    it: "A presto!",
    pt: "Um abraço!"
  },
  friendly: {
    en: "Thanks a lot!",
    de: "Vielen Dank!",
    fr: "Merci beaucoup !",
    es: "¡Muchas gracias!",
    it: "Grazie mille!",
    pt: "Muito obrigado!"
  },
  diplomatic: {
    en: "Please let me know what you think.",
    de: "Bitte sagen Sie mir, was Sie davon halten.",
    fr: "N'hésitez pas à me dire ce que vous en pensez.",
    es: "Por favor, dígame qué le parece.",
    it: "Mi faccia sapere cosa ne pensa.",
    pt: "Diga-me, por favor, o que acha."
  },
  confident: {
    en: "There is no doubt about it.",
    de: "Daran besteht kein Zweifel.",
    fr: "Cela ne fait aucun doute.",
    es: "No cabe duda.",
    it: "Non c'è alcun dubbio.",
    pt: "Não há dúvida."
  }
}
