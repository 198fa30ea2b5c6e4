/**
 * What a dry run shows is what a call then sends, byte for byte but for masks: a server keeps the bytes that
 * came. The masks are made here from the real secrets, by replacing them where they were sent.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUser, pushSkill, setSecret } from './admin.ts'
import { type Fields, stringOf } from './fields.ts'
import { bearer, postJson } from './http.ts'
import { type RawUpstream, startRawUpstream, TOKEN } from './raw-upstream.ts'
import { startTwin, type Twin } from './twin.ts'

const SECRETS = {
  API_KEY: 'key/with+odd="characters" 0123456789',
  PASSWORD: 'correct horse: battery staple',
  HMAC_KEY: '00112233445566778899aabbccddeeff',
  CLIENT_ID: 'client-0123456789',
  CLIENT_SECRET: 'client-secret-0123456789',
} as const
type Name = keyof typeof SECRETS

let upstream: RawUpstream
let twin: Twin
let user: { readonly uid: string; readonly key: string }

beforeAll(async () => {
  upstream = await startRawUpstream()
  twin = await startTwin(['--memory', '--outbound-allow', upstream.host])
  user = await createUser(twin, { username: 'dry', credits: 1_000 })
  for (const [name, value] of Object.entries(SECRETS)) {
    await setSecret(twin, user.uid, { name, value })
  }
})

afterAll(async () => {
  await twin?.stop()
  await upstream?.stop()
})

const dryRun = (toolName: string, body: object) =>
  postJson(
    `${twin.admin}/skills/official/${toolName}/dry-run`,
    body,
    bearer(twin.internalApiSecret),
  )

/** With an admin key of its own, since a key may send ten a minute. */
async function testCall(toolName: string, body: object) {
  const named = { name: `tester-${toolName}`.slice(0, 40), role: 'operator' }
  const made = await postJson(`${twin.admin}/keys`, named, bearer(twin.internalApiSecret))
  const headers = { 'x-admin-key': stringOf(made.json(), 'key') }
  return postJson(`${twin.admin}/skills/official/${toolName}/dry-run?send=true`, body, headers)
}

/** The text of a request as a dry run shows it, a character for each byte. */
function shownText({ body, bodyBase64, headers, method, url }: Fields): string {
  const lines = (headers as readonly { name: string; value: string }[]).map(
    ({ name, value }) => `${name}: ${value}`,
  )
  const path = String(url).slice(upstream.url.length)
  const text =
    typeof bodyBase64 === 'string'
      ? Buffer.from(bodyBase64, 'base64')
      : Buffer.from(typeof body === 'string' ? body : '')
  const head = [`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n')
  return head + text.toString('latin1')
}

type Case = {
  readonly config: object
  readonly parameters?: object
  readonly args?: object
  /** Spellings of secrets as they are sent, and what is shown in their place. */
  readonly masks?: readonly (readonly [sent: string | RegExp, shown: string])[]
}

const TEXT = { type: 'string' }
const WITH = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, TEXT])),
})
const form = (value: string) => new URLSearchParams([['', value]]).toString().slice(1)
const shown = (name: Name) => `[secret ${name}]`
const LENGTH = [/content-length: \d+/, 'content-length: [length with secrets]'] as const

const CASES: { readonly [what: string]: Case } = {
  'arguments in path, query and header': {
    config: {
      endpoint: '/things/{id}?fixed=1',
      query: { q: '{{args.q}}', both: 'a-{{args.q}}-z' },
      headers: { 'X-Note': 'note {{args.note}}', Accept: 'text/plain' },
    },
    parameters: WITH('id', 'q', 'note', 'rest'),
    args: { id: 'a/b ?&ö', q: 'x&y=z ä', note: 'plain', rest: 'in the query' },
  },
  'arguments as the JSON body': {
    config: { endpoint: '/json', method: 'POST' },
    parameters: WITH('text'),
    args: { text: 'ü "quoted" \\ / \u2028' },
  },
  'nested arguments in a JSON template': {
    config: {
      endpoint: '/nested',
      method: 'PUT',
      body: { from: '{{args.range.from}}', list: ['{{args.range.to}}', 1], all: '{{args.range}}' },
    },
    parameters: { type: 'object', properties: { range: { type: 'object' } } },
    args: { range: { from: 1, to: 'z' } },
  },
  'a form': {
    config: { endpoint: '/form', method: 'POST', body_as: 'form' },
    parameters: WITH('a', 'b'),
    args: { a: 'x y&=+', b: 'ß' },
  },
  'a text': {
    config: {
      endpoint: '/text',
      method: 'POST',
      body: 'Dear {{args.name}}',
      headers: { 'Content-Type': 'text/plain' },
    },
    parameters: WITH('name'),
    args: { name: 'Zoë\nand others' },
  },
  'parts with a binary file': {
    config: {
      endpoint: '/parts',
      method: 'POST',
      body_as: 'multipart',
      arguments: { file: { in: 'body', style: 'file' }, note: { in: 'body' } },
    },
    parameters: { type: 'object', properties: { file: { type: 'object' }, note: TEXT } },
    args: {
      note: 'skillgate-0 is no boundary',
      file: { base64: Buffer.from([0, 255, 128, 10]).toString('base64'), filename: 'ä.bin' },
    },
  },
  'lists and objects in the query': {
    config: {
      endpoint: '/styles/{ids}',
      arguments: {
        ids: { in: 'path', style: 'simple' },
        tags: { in: 'query', style: 'pipeDelimited' },
        filter: { in: 'query', style: 'deepObject' },
      },
    },
    parameters: {
      type: 'object',
      properties: { ids: { type: 'array' }, tags: { type: 'array' }, filter: { type: 'object' } },
    },
    args: { ids: [1, 'b c'], tags: ['x', 'y|z'], filter: { a: { b: 1 }, c: 'd&e' } },
  },
  'a bearer token': {
    config: { endpoint: '/bearer', auth: { type: 'bearer', secret: 'HMAC_KEY' } },
    masks: [[SECRETS.HMAC_KEY, shown('HMAC_KEY')]],
  },
  'basic auth': {
    config: {
      endpoint: '/basic',
      auth: { type: 'basic', username: 'ada', secret: 'PASSWORD' },
    },
    masks: [[Buffer.from(`ada:${SECRETS.PASSWORD}`).toString('base64'), shown('PASSWORD')]],
  },
  'a secret in the query': {
    config: { endpoint: '/query', auth: { type: 'query', name: 'key', secret: 'API_KEY' } },
    masks: [[form(SECRETS.API_KEY), shown('API_KEY')]],
  },
  'a secret in a cookie': {
    config: { endpoint: '/cookie', auth: { type: 'cookie', name: 'sid', secret: 'CLIENT_ID' } },
    masks: [[SECRETS.CLIENT_ID, shown('CLIENT_ID')]],
  },
  'secrets in a JSON body and in a header': {
    config: {
      endpoint: '/body',
      method: 'POST',
      headers: { 'X-Key': 'k={{secrets.CLIENT_ID}}' },
      body: { key: '{{secrets.API_KEY}}', text: '{{args.text}}' },
    },
    parameters: WITH('text'),
    args: { text: 'hello' },
    masks: [
      [JSON.stringify(SECRETS.API_KEY).slice(1, -1), shown('API_KEY')],
      [SECRETS.CLIENT_ID, shown('CLIENT_ID')],
      LENGTH,
    ],
  },
  'a signature over the body': {
    config: {
      endpoint: '/signed',
      method: 'POST',
      plugin_hook: 'hmac_sha256_signature',
      plugin_options: { secret: 'HMAC_KEY', secret_encoding: 'hex', prefix: 'sha256=' },
    },
    parameters: WITH('text'),
    args: { text: 'signed' },
    masks: [[/x-signature: sha256=[0-9a-f]{64}/, 'x-signature: [made from secrets]']],
  },
  'an access token': {
    config: {
      endpoint: '/token-bearer',
      plugin_hook: 'oauth2_client_credentials',
      plugin_options: {
        token_url: '/token',
        client_id_secret: 'CLIENT_ID',
        client_secret_secret: 'CLIENT_SECRET',
      },
    },
    masks: [[TOKEN, '[secret OAUTH2_ACCESS_TOKEN]']],
  },
}

/** With paths at the upstream. */
function at(config: Fields): object {
  const endpoint = `${upstream.url}${stringOf(config, 'endpoint')}`
  const { plugin_options: options } = config
  if (typeof options !== 'object' || options === null || !('token_url' in options)) {
    return { ...config, endpoint, retries: 0 }
  }
  const plugin_options = { ...options, token_url: `${upstream.url}/token` }
  return { ...config, endpoint, retries: 0, plugin_options }
}

describe('a dry run of a skill with', () => {
  test.each(Object.entries(CASES))('%s shows what its call then sends', async (what, one) => {
    const { args = {}, config, masks = [], parameters } = one
    const id = what.replaceAll(/\W+/g, '_').toLowerCase()
    const skill = { id, config: at(config as Fields), ...(parameters ? { parameters } : {}) }
    const tool = await pushSkill(twin, skill)
    const before = upstream.requests.length
    const answered = await dryRun(tool, { uid: user.uid, arguments: args })
    expect(answered.status).toBe(200)
    const report = answered.json()
    expect(report['problems']).toEqual([])
    expect(upstream.requests.length).toBe(before)
    const call = { skill: tool, arguments: args }
    expect((await postJson(twin.execute, call, bearer(user.key))).status).toBe(200)
    const tested = await testCall(tool, { uid: user.uid, arguments: args })
    expect(tested.json()).toMatchObject({ sent: { answer: { status: 200 } } })
    const [sent = '', test = ''] = upstream.requests.slice(before)
    expect(plain(test)).toBe(plain(sent))
    const masked = masks.reduce((text, [from, to]) => text.replaceAll(asPattern(from), to), sent)
    expect(plain(shownText(report['request'] as Fields))).toBe(plain(masked))
    for (const value of Object.values(SECRETS)) {
      expect(tested.text).not.toContain(JSON.stringify(value).slice(1, -1))
      expect(answered.text).not.toContain(JSON.stringify(value).slice(1, -1))
    }
  })
})

/** Each request has a trace of its own. */
function plain(text: string): string {
  return text.replace(/\r\ntraceparent: .*/, '\r\ntraceparent: …')
}

function asPattern(from: string | RegExp): RegExp {
  if (typeof from !== 'string') return new RegExp(from.source, 'g')
  return new RegExp(from.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'g')
}

test('a test call shows the answer with its headers and its phases, and masks what the upstream repeats', async () => {
  const auth = { type: 'bearer', secret: 'CLIENT_ID' }
  const tool = await pushSkill(twin, { id: 'echoes', config: at({ endpoint: '/echo', auth }) })
  const headers = {
    'content-type': 'application/json',
    'set-cookie': 'session=of-the-upstream',
    'x-echo': SECRETS.CLIENT_ID,
  }
  const usual = upstream.answer
  upstream.answer = { status: 200, headers, body: JSON.stringify({ got: SECRETS.CLIENT_ID }) }
  const answered = await testCall(tool, { uid: user.uid })
  upstream.answer = usual
  expect(answered.json()['sent']).toMatchObject({
    durationMs: expect.any(Number),
    sends: [
      { status: 200, phases: { connect: expect.any(Number), firstByte: expect.any(Number) } },
    ],
    answer: {
      headers: expect.arrayContaining([
        { name: 'set-cookie', value: '[hidden]' },
        { name: 'x-echo', value: '[secret CLIENT_ID]' },
      ]),
      start: '{"got":"[secret CLIENT_ID]"}',
    },
    result: { structuredContent: { got: '[secret CLIENT_ID]' } },
  })
  expect(answered.text).not.toContain(SECRETS.CLIENT_ID)
  expect(answered.text).not.toContain('of-the-upstream')
})
