/** Requests that go past the edge of a stage, to the doors themselves. */
import { bearer, type HttpAnswer, type HttpRequest, send } from '../../e2e/http.ts'
import { LAMBDA } from '../attack.ts'
import { type Note, probingAttack } from '../probes.ts'
import { callText, freshSkill, type Target, type User } from '../target.ts'

/** What a door answers to whom it does not know: no challenge, and nothing about an edge. */
const REFUSED = '403 Forbidden.'

export const EDGE_PROBES = [
  probingAttack({
    name: 'edge-values',
    tried: 'requests past the edge with a true key and no, an old, a guessed or a repeated value',
    on: LAMBDA,
    probe: async (target, note) => {
      const { old, value } = edgeOf(target)
      const doors = await doorsOf(target)
      const guess = 'g'.repeat(value.length)
      const sent: readonly (readonly [string, Headers])[] = [
        ['no value', {}],
        ['an empty value', { 'x-origin-secret': '' }],
        ['an old value', { 'x-origin-secret': old }],
        ['a guess', { 'x-origin-secret': guess }],
        ['half of the value', { 'x-origin-secret': value.slice(0, value.length / 2) }],
        ['the value and more', { 'x-origin-secret': `${value}${guess}` }],
        ['two guesses', { 'x-origin-secret': [guess, old] }],
        ['the name of a field', { 'x-origin-secret': '__proto__' }],
        ['the secret as JSON', { 'x-origin-secret': JSON.stringify({ current: guess }) }],
        [
          'a guess in other headers',
          { cookie: `x-origin-secret=${guess}`, x_origin_secret: guess },
        ],
        ['an address of its own', { 'x-viewer-address': '127.0.0.1', 'x-forwarded-for': '::1' }],
        ['a signature of its own', { 'x-amz-security-token': guess, 'x-amz-date': '20260101' }],
      ]
      for (const [door, { request, url }] of doors) {
        for (const [what, headers] of sent) {
          note(`${door}, ${what}`, REFUSED, describe(await ask(url, request, headers)))
        }
        const control = await ask(url, request, { 'x-origin-secret': value })
        note(`${door}, the value`, '200', String(control.status))
      }
      noteLog(target, note, [value, guess, old])
    },
  }),
  probingAttack({
    name: 'edge-paths',
    tried: 'paths past the edge that doors serve without a key, and other spellings of paths',
    on: LAMBDA,
    probe: async (target, note) => {
      const { value } = edgeOf(target)
      for (const door of [target.mcp, target.execute, target.sse]) {
        for (const path of PATHS) {
          for (const method of ['GET', 'OPTIONS', 'POST']) {
            const url = new URL(door).origin + path
            note(`${method} ${url}`, REFUSED, describe(await send(url, { method })))
          }
        }
      }
      const page = new URL('/catalog', target.mcp)
      const control = await send(page, { headers: { 'x-origin-secret': value } })
      note('a page over the edge', '200', String(control.status))
    },
  }),
]

type Headers = NonNullable<HttpRequest['headers']>
type Door = { readonly url: string; readonly request: HttpRequest }

const PATHS = [
  '/',
  '//mcp',
  '/mcp/',
  '/mcp?x-origin-secret=g',
  '/%6dcp',
  '/v1/execute/',
  '/v1/execute/reading',
  '/v1/mcp/sse/..',
  '/v1/mcp/messages?session_id=s',
  '/healthz',
  '/catalog',
  '/authorize',
  '/token',
  '/register',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-authorization-server',
]

function edgeOf({ edge }: Target): NonNullable<Target['edge']> {
  if (edge === undefined) throw new Error('the gateway has no edge')
  return edge
}

/** A request to each public door that succeeds over the edge. */
async function doorsOf(target: Target): Promise<readonly (readonly [string, Door])[]> {
  const user: User = await target.user()
  const config = { endpoint: `${target.upstreams.here.url}/edge`, method: 'GET' }
  const skill = await freshSkill(target, config)
  const json = { 'content-type': 'application/json', ...bearer(user.key) }
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const listed = {
    ...json,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  }
  const post = (headers: Headers, body: string): HttpRequest => ({ method: 'POST', headers, body })
  return [
    ['mcp', { url: target.mcp, request: post(listed, JSON.stringify(list)) }],
    ['execute', { url: target.execute, request: post(json, callText(skill)) }],
    // A stream would not end.
    ['sse', { url: new URL('/healthz', target.sse).href, request: {} }],
    [
      'admin',
      {
        url: `${target.admin}/users/${user.uid}`,
        request: { headers: bearer(target.internalApiSecret) },
      },
    ],
  ]
}

function ask(url: string, request: HttpRequest, headers: Headers): Promise<HttpAnswer> {
  return send(url, { ...request, headers: { ...request.headers, ...headers } })
}

/** Another header than those of each problem would be a hint. */
function describe({ headers, status, text }: HttpAnswer): string {
  const hints = Object.keys(headers).filter((name) => /authenticate|allow|origin|via/.test(name))
  const detail = /"detail":"([^"]*)"/.exec(text)?.[1] ?? text.slice(0, 40)
  return [status, detail, ...hints].join(' ')
}

function noteLog(target: Target, note: Note, values: readonly string[]): void {
  const log = target.log()
  note('the log of refused requests', 'true', String(log.includes('edge-bypassed')))
  for (const value of values) note('a value in the log', 'false', String(log.includes(value)))
}
