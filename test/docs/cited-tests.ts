/** Tests as pages cite them: `test/core/x.test.ts`: “a title”. */
import { readText } from './markdown.ts'

export type CitedTest = { readonly file: string; readonly title: string }

export function citedTests(text: string): readonly CitedTest[] {
  const cited = text.replaceAll(/\s+/g, ' ').matchAll(/`(test\/[^`]+)`: “([^”]+)”/g)
  return [...cited].map(([, file = '', title = '']) => ({ file, title }))
}

/** A title is a string with a function behind it; of `test.each` it is the pattern. */
export function titlesOf(file: string): readonly string[] {
  const titled = /(?:'([^'\n]+)'|"([^"\n]+)"|`([^`]+)`),\s*(?:async\s*)?\(/g
  return [...readText(file).matchAll(titled)].map(([, a, b, c]) => a ?? b ?? c ?? '')
}
