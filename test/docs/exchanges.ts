/** Exchanges as docs/wire.md shows them: a request, an answer, `…` for what differs each time. */
import { blocksOf, readText, sectionOf } from './markdown.ts'

export type Exchange = {
  /** For the title of a test. */
  readonly what: string
  readonly method: string
  readonly path: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  readonly status: number
  readonly answerHeaders: readonly (readonly [name: string, value: string])[]
  /** Ends in a line `…` where the stream goes on. */
  readonly answer: string
}

export function shownExchanges(): readonly Exchange[] {
  const section = sectionOf(readText('docs/wire.md'), '### Exchanges')
  return blocksOf(section)
    .filter(({ language }) => language === 'http')
    .map(({ text }) => exchangeOf(text))
}

function exchangeOf(text: string): Exchange {
  const at = text.indexOf('\nHTTP/1.1 ')
  if (at === -1) throw new Error(`no answer in: ${text}`)
  const [asked, answered] = [partsOf(text.slice(0, at)), partsOf(text.slice(at + 1))]
  const [method = '', path = ''] = asked.line.split(' ')
  const called = /"method":"([^"]+)"/.exec(asked.body)?.[1] ?? method
  return {
    what: `${called} (${answered.line.slice('HTTP/1.1 '.length)})`,
    method,
    path,
    headers: asked.headers,
    body: asked.body.trimEnd(),
    status: Number(answered.line.split(' ')[1]),
    answerHeaders: answered.headers,
    answer: answered.body,
  }
}

function partsOf(text: string) {
  const [head = '', ...more] = text.split('\n\n')
  const [line = '', ...lines] = head.trimEnd().split('\n')
  const headers = lines.map((one) => {
    const colon = one.indexOf(': ')
    return [one.slice(0, colon), one.slice(colon + 2)] as const
  })
  return { line, headers, body: more.join('\n\n') }
}

/** The pattern that an answer must match to equal the shown one. */
export function patternOf(shown: string): RegExp {
  const goesOn = shown.trimEnd().endsWith('\n…')
  const text = goesOn ? shown.trimEnd().slice(0, -1) : shown.trimEnd()
  const literal = text.split('…').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${literal.join('[^"\\n]*')}${goesOn ? '' : '\\s*$'}`)
}
