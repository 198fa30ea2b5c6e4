/** The exchanges of docs/wire.md, played against the twin: its answers match the page. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Exchange, patternOf, shownExchanges } from '../docs/exchanges.ts'
import { blocksOf, readText, sectionOf } from '../docs/markdown.ts'
import { bearer, postJson } from './http.ts'
import { startTwin, type Twin } from './twin.ts'

/** The slowest exchange waits for 1.5 s. */
const WAIT_MS_MAX = 90_000
const FORM = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

let twin: Twin

beforeAll(async () => {
  twin = await startTwin(['--memory'])
  await syncAsking()
})
afterAll(() => twin.stop())

/** A skill whose upstream echoes its request, which is a question. */
async function syncAsking(): Promise<void> {
  const params = { message: 'Which city?', requestedSchema: FORM }
  const inputRequests = { city: { method: 'elicitation/create', params } }
  const synced = await admin('sync_skill', {
    id: 'sg_asks',
    source: 'official',
    meta: { name: 'Asks', description: 'Asks.', parameters: { type: 'object', properties: {} } },
    config: {
      endpoint: `${twin.url}/sample/echo`,
      method: 'POST',
      body: { resultType: 'input_required', inputRequests, requestState: 'step-1' },
      response: { as: 'mcp', pick: '/body' },
    },
    credits_per_call: 1,
  })
  expect(synced.status).toBe(201)
}

function admin(path: string, body: object) {
  return postJson(`${twin.admin}/${path}`, body, bearer(twin.internalApiSecret))
}

type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; text: string }

/** Reads until the answer ends, or the awaited text is there. */
function play(of: Exchange, isEnough: (text: string) => boolean): Promise<Answer> {
  const headers = Object.fromEntries(of.headers.map(([name, value]) => [name, withKey(value)]))
  return new Promise((resolve, reject) => {
    const options = { method: of.method, headers, agent: false, timeout: WAIT_MS_MAX }
    const request = httpRequest(`${twin.url}${of.path}`, options, (response) => {
      const { headers: answered, statusCode: status = 0 } = response
      const answer: Answer = { status, headers: answered, text: '' }
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        answer.text += chunk
        if (!isEnough(answer.text)) return
        resolve(answer)
        request.destroy()
      })
      response.on('end', () => resolve(answer))
    })
    request.on('timeout', () => request.destroy(new Error('waited for too long')))
    request.on('error', reject)
    request.end(of.body)
  })
}

function withKey(value: string): string {
  return value.replace('sgk_…', twin.key)
}

const EXCHANGES = shownExchanges()

test('the page has exchanges to judge', () => {
  expect(EXCHANGES.length).toBeGreaterThanOrEqual(11)
})

// Played one after the other: answers show the remaining credits too.
test.each(EXCHANGES)('the exchange "$what" is answered as shown', async (shown) => {
  const pattern = patternOf(shown.answer)
  const goesOn = shown.answer.trimEnd().endsWith('\n…')
  const answer = await play(shown, (text) => goesOn && pattern.test(text))
  expect(answer.status).toBe(shown.status)
  for (const [name, value] of shown.answerHeaders) expect(answer.headers[name]).toBe(value)
  expect(answer.text).toMatch(pattern)
})

test('a listen stream gets later the messages that the page shows', async () => {
  const listen = EXCHANGES.find(({ body }) => body.includes('subscriptions/listen'))
  const texts = blocksOf(sectionOf(readText('docs/wire.md'), '### Exchanges'))
  const later = texts.find(({ language }) => language === 'text')?.text.split('\n\n') ?? []
  if (listen === undefined) throw new Error('no listen is shown')
  const answered = play(listen, (text) => text.includes('list_changed'))
  await admin('refresh-tools', {})
  expect((await answered).text).toContain(later[0])
})

describe('one tool in each revision', () => {
  const shown = blocksOf(sectionOf(readText('docs/wire.md'), '### One tool in each revision'))
    .flatMap(({ text }) => text.trimEnd().split('\n'))
    .map((line) => JSON.parse(line))

  test.each([
    ['2024-11-05', [0]],
    ['2025-03-26', [0, 1]],
    ['2025-06-18', [0, 2]],
    ['2025-11-25', [0, 2, 3]],
  ])('a tool of the revision %s is listed as shown', async (version, parts) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const headers = { ...bearer(twin.key), 'mcp-protocol-version': version }
    const { result } = JSON.parse((await postJson(twin.mcp, body, headers)).text)
    const weather = result.tools.find(({ name }: { name: string }) => name === 'sg_weather')
    expect(weather).toEqual(Object.assign({}, ...parts.map((part) => shown[part])))
  })
})
