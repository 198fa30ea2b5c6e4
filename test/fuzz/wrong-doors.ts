/**
 * Doors with one fault each, and the rule that must find it: the proof that the fuzz test can fail.
 */
import { answerJson } from '../../adapters/http/answer.ts'
import type { FunctionUrlEvent, StreamingHandler } from '../../adapters/http/events.ts'
import { answerProblem } from '../../adapters/http/problem.ts'
import { BOBS, KEYS, SESSIONS } from './canaries.ts'
import type { Change } from './run-requests.ts'

export type WrongDoor = {
  readonly name: string
  readonly change: Change
  readonly foundBy: RegExp
}

const ADA = { uid: 'ada', callId: 'taken-from-nobody' }

export const WRONG_DOORS: readonly WrongDoor[] = [
  {
    name: 'that throws on U+0000',
    change: wrap((right) => async (event, out, context) => {
      if (/\0|\\u0000/.test(textOf(event))) throw new Error('a bug')
      await right(event, out, context)
    }),
    foundBy: /the door threw/,
  },
  {
    name: 'that answers 500 to half of a surrogate pair',
    change: wrap((right) => async (event, out, context) => {
      if (!/\\ud8/.test(textOf(event))) return right(event, out, context)
      return answerProblem(out, { code: 'internal', detail: 'Something failed.' })
    }),
    foundBy: /status 500/,
  },
  {
    name: 'that never answers a name of a prototype',
    change: wrap((right) => async (event, out, context) => {
      if (textOf(event).includes('__proto__')) return new Promise(() => {})
      return right(event, out, context)
    }),
    foundBy: /had not ended/,
  },
  {
    name: 'that answers twice',
    change: wrap((right) => async (event, out, context) => {
      await right(event, out, context)
      await answerJson(out, 200, {})
    }),
    foundBy: /2 answers/,
  },
  {
    name: 'that tells the key that it was sent',
    change: wrap((right) => (event, out, context) => {
      if (event.headers['authorization']?.includes(KEYS.bob) !== true)
        return right(event, out, context)
      const detail = `There is no key ${event.headers['authorization'].replace(/[^ -~]/g, '')}.`
      return answerProblem(out, { code: 'unauthenticated', detail })
    }),
    foundBy: /the answer holds sgk_/,
  },
  {
    name: 'that tells the session that it was asked for',
    change: wrap((right) => (event, out, context) => {
      const { rawQueryString } = event
      if (!rawQueryString.includes(`${SESSIONS.ada}&`)) return right(event, out, context)
      return answerProblem(out, { code: 'not_found', detail: `There is no ${rawQueryString}.` })
    }),
    foundBy: /the answer holds ada-session/,
  },
  {
    name: "that runs another user's skill",
    change: wrap((right) => (event, out, context) => {
      if (!textOf(event).includes('bob_sg_private')) return right(event, out, context)
      return answerJson(out, 200, { content: [{ type: 'text', text: BOBS }] })
    }),
    foundBy: /the answer holds bob-private/,
  },
  {
    name: 'that says what stands in arguments',
    change: wrap((right) => (event, out, context) => {
      if (!textOf(event).includes('sg_strict')) return right(event, out, context)
      return answerProblem(out, { code: 'invalid_arguments', detail: textOf(event).toWellFormed() })
    }),
    foundBy: /repeats an argument/,
  },
  {
    name: 'with an error code of its own',
    change: wrap((right) => (event, out, context) => {
      if (event.requestContext.http.method === 'POST') return right(event, out, context)
      return answerJson(out, 405, { code: 'oops' }, { 'content-type': 'application/problem+json' })
    }),
    foundBy: /an unknown code oops/,
  },
  {
    name: 'that loses credits when the store is away',
    change: (right, { ports }) => ({
      ...right,
      execute: async (event, out, context) => {
        await right.execute(event, out, context)
        if (out.writableFinished && event.rawPath === '/v1/execute/void') {
          const hold = {
            amount: 1,
            heldAtMs: 0,
            writeToken: 'm',
            skillId: 's',
            source: 'official' as const,
          }
          await ports.ledger.hold({ ...ADA, hold, holdsMax: 32 })
          await ports.ledger.release({ ...ADA, giveBack: false, placement: 1 })
        }
      },
    }),
    foundBy: /ada has [0-9.]+ of 100 in all/,
  },
]

function wrap(wrong: (right: StreamingHandler) => StreamingHandler): Change {
  return ({ execute, mcp, sse }) => ({
    execute: wrong(execute),
    mcp: wrong(mcp),
    sse: wrong(sse),
  })
}

function textOf({ body = '', isBase64Encoded }: FunctionUrlEvent): string {
  return isBase64Encoded ? Buffer.from(body, 'base64').toString() : body
}
