/** The package declares its types behind the "import" condition, where the compiler does not find them. */
declare module "eld/extrasmall" {
  export const eld: {
    readonly detect: (text: string) => {
      readonly language: string
      readonly isReliable: () => boolean
      /** From 0 to 1, for the most likely languages only, the likeliest first. */
      readonly getScores: () => Readonly<Record<string, number>>
    }
  }
}
