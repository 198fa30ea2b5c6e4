/** Queries, paths and methods, correct ones and others. */
import fc from 'fast-check'
import { SESSIONS } from './canaries.ts'
import { flipped } from './odd-headers.ts'
import { rarely } from './rarely.ts'

const session = rarely(
  [SESSIONS.ada, SESSIONS.ada, SESSIONS.ada, SESSIONS.nobody],
  [flipped(SESSIONS.ada), '', 'x', `${SESSIONS.ada},${SESSIONS.nobody}`, '%00', '__proto__'],
  15,
)
export const queries: fc.Arbitrary<string> = fc.oneof(
  { weight: 20, arbitrary: session.map((id) => `session_id=${id}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '&',
      '=',
      '%',
      'session_id',
      `SESSION_ID=${SESSIONS.ada}`,
      `session_id=%E0%A4%A`,
      `session_id=${SESSIONS.ada}&session_id=x`,
      `session_id[]=${SESSIONS.ada}`,
      'a=b'.repeat(9_000),
      `session_id=%61${SESSIONS.ada.slice(1)}`,
      `?session_id=${SESSIONS.ada}`,
      'session_id=\ud800',
    ),
  },
)

const ODD_PATHS: readonly string[] = [
  '/',
  '',
  '//',
  '/healthz',
  '/v1/execute/',
  '/v1/execute/void',
  '/v1/execute/job',
  '//v1/execute',
  '/V1/Execute',
  '/v1/mcp/sse',
  '/v1/mcp/messages',
  '/v1/mcp',
  '/sse',
  '/message',
  '/mcp',
  '/register',
  '/token',
  '/.well-known/oauth-authorization-server',
  '/%00',
  '/\0',
  '/\ud800',
  '/__proto__',
  '/v1/../v1',
  '/v1/mcp/messages/../sse',
  `/${'x'.repeat(9_000)}`,
  '/v1/execute?x',
  '/\r\nx: y',
  '/é',
  '/v1/admin',
]
export const pathOr = (path: string) => rarely([path], ODD_PATHS, 30)

const ODD_METHODS = [
  'GET',
  'PUT',
  'DELETE',
  'OPTIONS',
  'HEAD',
  'PATCH',
  'TRACE',
  'post',
  '',
  '__proto__',
  'P\nT',
]
export const methodOr = (method: string) => rarely([method], ODD_METHODS, 30)
