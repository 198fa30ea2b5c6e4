/** Doors mcp with one fault each, and the rule that must find it. */
import { answerText } from '../../adapters/http/answer.ts'
import type {
  FunctionUrlEvent,
  ResponseHead,
  StreamingHandler,
} from '../../adapters/http/events.ts'
import { CountedAnswer } from './counted-answer.ts'
import type { WrongDoor } from './wrong-doors.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

export const WRONG_MCP_DOORS: readonly WrongDoor[] = [
  {
    name: 'to which 0 is no id',
    change: saying((text) => text.replace('"id":0,', '"id":null,')),
    foundBy: /the id null for 0/,
  },
  {
    name: 'that answers an unknown method of the modern era with 200',
    change: saying(
      (text) => text,
      (status, text) => (text.includes('-32601') ? 200 : status),
    ),
    foundBy: /the code -32601 with status 200/,
  },
  {
    name: 'that answers a header which contradicts the body in band',
    change: saying(
      (text) => text,
      (status, text) => (text.includes('-32020') ? 200 : status),
    ),
    foundBy: /the code -32020 with status 200/,
  },
  {
    name: 'that answers notifications',
    change: saying(
      (text, status) => (status === 202 ? '{"jsonrpc":"2.0","id":null,"result":{}}' : text),
      (status) => (status === 202 ? 200 : status),
    ),
    foundBy: /an answer to what asks for none/,
  },
  {
    name: 'that leaves out an item of a batch',
    change: saying((text) =>
      text.startsWith('[') ? JSON.stringify(JSON.parse(text).slice(1)) : text,
    ),
    foundBy: /the ids/,
  },
  {
    name: 'with legacy codes in the modern era',
    change: saying((text) => text.replace('-31004', '-32004')),
    foundBy: /a legacy code in the modern era/,
  },
  {
    name: 'that refuses what is in order',
    change: (right) => ({
      ...right,
      mcp: async (event, out, context) => {
        if (!textOf(event).includes('sg_weather')) return right.mcp(event, out, context)
        const id = JSON.parse(textOf(event)).id ?? null
        const error = { code: -32600, message: 'no' }
        return answerText(out, 400, JSON.stringify({ jsonrpc: '2.0', id, error }), JSON_TYPE)
      },
    }),
    foundBy: /a right request was refused with -32600|the door threw/,
  },
]

/** Replaces the correct door's answer by another; streams are left unchanged. */
function saying(
  change: (text: string, status: number) => string,
  status: (status: number, text: string) => number = (same) => same,
): WrongDoor['change'] {
  return (right) => ({ ...right, mcp: changing(right.mcp, change, status) })
}

function changing(
  right: StreamingHandler,
  change: (text: string, status: number) => string,
  statusOf: (status: number, text: string) => number,
): StreamingHandler {
  return async (event, out, context) => {
    if (textOf(event).includes('subscriptions/listen')) return right(event, out, context)
    const answer = new CountedAnswer()
    await right(event, answer, context)
    const head: ResponseHead = {
      statusCode: statusOf(answer.status, answer.text),
      headers: answer.headers,
    }
    return answerText(out, head.statusCode, change(answer.text, answer.status), { ...head.headers })
  }
}

function textOf({ body = '', isBase64Encoded }: FunctionUrlEvent): string {
  return isBase64Encoded ? Buffer.from(body, 'base64').toString() : body
}
