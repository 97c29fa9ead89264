/** Draws the logo: a text and its translation. */
const draw = (back: string, front: string, line: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" fill="none" stroke-linecap="round" stroke-linejoin="round">`
  + `<path d="M10 6h26a6 6 0 0 1 6 6v16a6 6 0 0 1-6 6H22l-9 8v-8h-3a6 6 0 0 1-6-6V12a6 6 0 0 1 6-6z" fill="${back}"/>`
  + `<path d="M12 15h18M12 24h11" stroke="${line}" stroke-width="4"/>`
  + `<path d="M30 24h24a6 6 0 0 1 6 6v16a6 6 0 0 1-6 6h-3v8l-9-8H30a6 6 0 0 1-6-6V30a6 6 0 0 1 6-6z" fill="${front}" `
  + `stroke="${line}" stroke-width="3"/><path d="M33 38l6 6 12-12" stroke="${line}" stroke-width="4"/></svg>`

const address = (svg: string): string => `data:image/svg+xml,${encodeURIComponent(svg)}`

export const logo = {
  light: address(draw("#9db0f5", "#3451b2", "#ffffff")),
  dark: address(draw("#5672cd", "#a8b1ff", "#1b1b1f")),
  alt: ""
}
