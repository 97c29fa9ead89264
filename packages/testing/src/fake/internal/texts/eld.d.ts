/** Declares the module, because the compiler does not find its types behind the "import" condition. */
declare module "eld/extrasmall" {
  export const eld: {
    readonly detect: (text: string) => {
      readonly language: string
      readonly isReliable: () => boolean
      /** Scores from 0 to 1, in descending order. */
      readonly getScores: () => Readonly<Record<string, number>>
    }
  }
}
