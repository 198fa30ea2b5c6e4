/**
 * The first-run sheet of the console: the link in the banner shows the keys of this twin in a
 * browser, once. Its code is in the fragment, which browsers send to nobody; the page exchanges it
 * by POST. A link in the history of a browser or a terminal is therefore worthless after its use.
 *
 *   twin prints #/welcome/CODE ─▶ page: POST {code} ─▶ the code is void ─▶ answer with the keys
 *
 * Of two requests with the code, one gets the keys: the code is void before its answer is made,
 * within one turn of the event loop.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { type HostAnswer, makeProblemAnswer } from '../../adapters/http/server-answers.ts'
import { isJsonObject } from '../../core/json/json.ts'
import { parseJson } from '../../core/json/parse-json.ts'

/** A person opens the link right after the start; later there is the page that asks for a key. */
export const WELCOME_LIFE_MS = 600_000
/** 96 bits: 16 letters, which fit the banner. */
const CODE_BYTES = 12
export const WELCOME_PATH = '/v1/console/welcome'

/** What the sheet shows. Its keys are those of the banner. */
export type WelcomeSheet = {
  readonly origin: string
  readonly mcpUrl: string
  readonly username: string
  readonly key: string
  readonly adminKey: string
}

export type Welcome = {
  /** The part of the console's address that opens the sheet. */
  readonly fragment: string
  /** Answers a POST to {@link WELCOME_PATH}. `body` is the text of its body. */
  answer(method: string | undefined, body: string): HostAnswer
}

/** Opens the sheet for {@link WELCOME_LIFE_MS}. `nowMs` reads the clock. */
export function openWelcome(sheet: WelcomeSheet, nowMs: () => number): Welcome {
  const code = randomBytes(CODE_BYTES).toString('base64url')
  const endsAtMs = nowMs() + WELCOME_LIFE_MS
  let isOpen = true
  return {
    fragment: `#/welcome/${code}`,
    answer: (method, body) => {
      if (method !== 'POST') {
        const detail = 'The first-run sheet takes POST only.'
        return makeProblemAnswer('method_not_allowed', detail, { allow: 'POST' })
      }
      const isRight = isOpen && nowMs() < endsAtMs && isEqual(readCode(body), code)
      if (!isRight) return USED
      isOpen = false
      return { status: 200, contentType: 'application/json', body: JSON.stringify(sheet) }
    },
  }
}

const USED = makeProblemAnswer(
  'forbidden',
  'code: was used, or is older than 10 minutes. Sign in with a key from the terminal of the twin, or start the twin again for a new link.',
)

function readCode(body: string): string {
  const read = parseJson(body)
  const code = read.ok && isJsonObject(read.value) ? read.value['code'] : undefined
  return typeof code === 'string' ? code : ''
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
