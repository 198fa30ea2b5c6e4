/**
 * HTTP/1 answers of well-meaning, broken and hostile servers: most begin as correct ones, in which
 * parts are then spelled differently, bytes are changed, and places are cut. Texts are latin1: one
 * character, one byte.
 */
import fc from 'fast-check'
import { framedBody } from './odd-bodies.ts'
import { headerLine, joined, lineEnd, often, statusLine } from './odd-heads.ts'

export type OddAnswer = {
  readonly method: 'GET' | 'HEAD' | 'POST'
  readonly text: string
  /** The places where the bytes are cut, in thousandths of the length. */
  readonly cuts: readonly number[]
}

/** The pieces as they arrive; none is empty. */
export function piecesOf({ cuts, text }: OddAnswer): readonly Buffer[] {
  const bytes = Buffer.from(text, 'latin1')
  const places = cuts.map((cut) => Math.floor((cut * bytes.length) / 1_000)).sort((a, b) => a - b)
  const pieces = [0, ...places].map((from, nth) => bytes.subarray(from, places[nth]))
  return pieces.filter((piece) => piece.length > 0)
}

const interim = often(
  ['', '', ''],
  [
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n',
    'HTTP/1.1 100 Continue\r\ncontent-length: 5\r\n\r\n',
    'HTTP/1.1 100 Continue\r\ntransfer-encoding: chunked\r\n\r\n',
    'HTTP/1.1 102 \n\n',
    'HTTP/1.1 103\r\ncontent-length: -1\r\n\r\n',
    'HTTP/1.1 103\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
    'HTTP/1.0 100 Continue\r\n\r\n',
    'HTTP/1.1 100 Continue\r\nconnection: close\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    'HTTP/1.1 100 Continue\r\n\r\n'.repeat(30),
  ],
)

const final = fc
  .tuple(statusLine, fc.array(headerLine, { maxLength: 4 }), framedBody, lineEnd)
  .map(([first, lines, { body, headers }, end]) => first + lines.join('') + headers + end + body)

const behind = often(
  ['', '', ''],
  ['\r\n', '\n', '\0', 'x', 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil', 'HTTP/1.1 '],
)

type Change = { readonly atThousandths: number; readonly removed: number; readonly added: string }

const change: fc.Arbitrary<Change> = fc.record({
  atThousandths: fc.integer({ min: 0, max: 999 }),
  removed: fc.constantFrom(0, 0, 1, 1, 2, 20),
  added: fc.constantFrom('', '\0', '\r', '\n', '\r\n', ' ', '\t', ':', ';', ',', '0', 'a', '\xff'),
})

function changed(text: string, { added, atThousandths, removed }: Change): string {
  const at = Math.floor((atThousandths * text.length) / 1_000)
  return text.slice(0, at) + added + text.slice(at + removed)
}

const changes: fc.Arbitrary<readonly Change[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(change, { maxLength: 3 }) },
)

export const oddAnswers: fc.Arbitrary<OddAnswer> = fc
  .tuple(
    fc.constantFrom('GET', 'GET', 'GET', 'POST', 'HEAD'),
    joined(interim, final, behind),
    changes,
    fc.array(fc.integer({ min: 0, max: 999 }), { maxLength: 6 }),
  )
  .map(([method, text, made, cuts]) => ({ method, text: made.reduce(changed, text), cuts }))
