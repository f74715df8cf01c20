/** The names of programs as the configuration file writes them: `recentTokens` is `recent_tokens`, `sacred-zone` is `sacred_zone`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll("-", "_");
}
