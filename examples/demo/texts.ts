/** First sentences of books in the public domain. */
export const texts = [
  "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness.",
  "Als Gregor Samsa eines Morgens aus unruhigen Träumen erwachte, fand er sich in seinem Bett zu einem ungeheueren Ungeziefer verwandelt.",
  "Longtemps, je me suis couché de bonne heure. Parfois, à peine ma bougie éteinte, mes yeux se fermaient si vite que je n'avais pas le temps de me dire : je m'endors.",
  "En un lugar de la Mancha, de cuyo nombre no quiero acordarme, no ha mucho tiempo que vivía un hidalgo de los de lanza en astillero.",
  "Nel mezzo del cammin di nostra vita mi ritrovai per una selva oscura, ché la diritta via era smarrita.",
  "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему.",
  "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。",
  "Call me Ishmael. Some years ago, never mind how long precisely, I thought I would sail about a little and see the watery part of the world."
] as const
