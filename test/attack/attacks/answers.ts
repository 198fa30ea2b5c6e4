/** Answers of upstreams that show a secret in another spelling, change numbers, or are not HTTP. */
import { ENCODERS } from '../../core/call/encoders.ts'
import { stringOf } from '../../e2e/fields.ts'
import { attack, EVERYWHERE } from '../attack.ts'
import { answerOf } from '../hostile-upstreams.ts'
import { callText, freshId, freshSkill, postMcp, type Target } from '../target.ts'

/** Characters that each encoder spells in its own way, between two that show where the secret begins and ends. */
const secretOf = () => `Z9${freshId()}_a+b/c=<&">'%x.-9Z`

/** How the upstream's answer is converted: not at all, or by each hook that converts. */
const CONVERSIONS = [
  { type: 'text/plain', config: {}, around: (text: string) => text },
  {
    type: 'text/html',
    config: { plugin_hook: 'html_to_markdown' },
    around: (text: string) => `<p>${text}</p>`,
  },
  {
    type: 'text/csv',
    config: { plugin_hook: 'csv_to_json' },
    around: (text: string) => `a\r\n"${text.replaceAll('"', '""')}"\r\n`,
  },
] as const

const ECHOED = attack({
  name: 'secrets-echoed',
  tried: `a secret in ${ENCODERS.length} spellings of an upstream, also through hooks that convert`,
  on: EVERYWHERE,
  attempt: async (target) => {
    const { scripted } = target.upstreams
    const user = await target.user()
    const value = secretOf()
    await target.must('PUT', `users/${user.uid}/secrets/API_KEY`, { value })
    const answers: { text: string; shown: boolean }[] = []
    for (const { around, config, type } of CONVERSIONS) {
      const path = `/echo-${freshId()}`
      const auth = { type: 'bearer', secret: 'API_KEY' }
      const id = await freshSkill(target, {
        endpoint: scripted.url + path,
        method: 'GET',
        auth,
        ...config,
      })
      for (const [, encode] of ENCODERS) {
        scripted.says(path, () => answerOf(type, around(encode(value))))
        const answer = await target.call(user.key, callText(id))
        const texts = stringsIn(JSON.parse(answer.text))
        const spellings = [value, encode(value)]
        const shown = texts.some((text) => spellings.some((one) => text.includes(one)))
        answers.push({ text: answer.text, shown })
      }
    }
    return { answers }
  },
  judge: ({ answers }) => {
    const shown = answers.find((one) => one.shown)
    if (shown !== undefined) return `the answer shows the secret: ${shown.text.slice(0, 200)}`
    const masked = answers.filter(({ text }) => text.includes('[secret API')).length
    return masked * 2 > answers.length ? undefined : `only ${masked} answers were masked`
  },
  held: { answers: [{ text: '[secret API_KEY]', shown: false }] },
  broken: [
    { answers: [{ text: 'Z9x', shown: true }] },
    { answers: [{ text: '{"code":"upstream_failed"}', shown: false }] },
    { answers: [] },
  ],
})

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => [name, ...stringsIn(one)])
}

const BIG = '9007199254740993'
/** What a double makes of it. */
const NEIGHBOUR = '9007199254740992'

const NUMBERS = attack({
  name: 'numbers-of-answers',
  tried:
    'an id past a double in an answer: plain, picked, promised, repeated under a key, and in a test call',
  on: EVERYWHERE,
  attempt: async (target) => {
    const { scripted } = target.upstreams
    const { key, uid } = await target.user()
    const path = `/big-${freshId()}`
    scripted.says(path, () => answerOf('application/json', `{"id":${BIG},"rows":[{"id":${BIG}}]}`))
    const answers: string[] = []
    const output_schema = { type: 'object', properties: { id: { type: 'integer' } } }
    for (const [response, schema] of [
      [{}, {}],
      [{ pick: '/id' }, {}],
      [{ pick: '/rows/0' }, {}],
      [{}, { output_schema }],
    ]) {
      const config = { endpoint: scripted.url + path, method: 'GET', response }
      const parameters = { type: 'object', properties: {} }
      const meta = { name: 'big', description: 'Shows an id.', parameters, ...schema }
      const id = await freshSkill(target, config, { meta })
      const repeat = { 'idempotency-key': freshId() }
      answers.push((await target.call(key, callText(id), repeat)).text)
      answers.push((await target.call(key, callText(id), repeat)).text)
      const params = { name: id, arguments: {} }
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      answers.push((await postMcp(target, key, JSON.stringify(message))).text)
      const dryRun = `skills/official/${id}/dry-run?send=true`
      answers.push((await target.must('POST', dryRun, { uid })).text)
    }
    return { answers }
  },
  judge: ({ answers }) => {
    const changed = answers.find((text) => text.includes(NEIGHBOUR) || !text.includes(BIG))
    if (answers.length === 0) return 'nothing was answered'
    return changed === undefined ? undefined : `the id is another one: ${changed.slice(0, 200)}`
  },
  held: { answers: [`{"content":[{"type":"text","text":"${BIG}"}]}`] },
  broken: [
    { answers: [`{"content":[{"type":"text","text":"${BIG}"}],"structuredContent":${NEIGHBOUR}}`] },
    { answers: ['{"code":"upstream_failed"}'] },
    { answers: [] },
  ],
})

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
/** As few as one user may fail at without being stopped from sending more. */
const NOT_HTTP: readonly string[] = [
  'HTTP/1.1 200 OK\ncontent-length: 2\n\n{}',
  `${HEAD}content-length: 2\r\ncontent-length: 2\r\n\r\n{}`,
  `${HEAD}content-encoding: UTF-8\r\ncontent-length: 2\r\n\r\n{}`,
  `${HEAD}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
]

const BROKEN_HTTP = attack({
  name: 'answers-not-http',
  tried: `${NOT_HTTP.length} answers that are not valid HTTP, then a call of another user`,
  on: EVERYWHERE,
  attempt: async (target) => {
    const { scripted } = target.upstreams
    const [eve, ada] = [await target.user(), await target.user()]
    const path = `/odd-${freshId()}`
    const id = await freshSkill(target, { endpoint: scripted.url + path, method: 'GET' })
    const answers: { status: number; detail: string }[] = []
    for (const answer of NOT_HTTP) {
      scripted.says(path, () => answer)
      const { status, json } = await target.call(eve.key, callText(id))
      answers.push({ status, detail: stringOf(json(), 'detail') })
    }
    scripted.says(path, () => answerOf('application/json', '{"ok":true}'))
    const other = (await target.call(ada.key, callText(id))).status
    return { answers, other, ...(await creditsOf(target, eve.uid)) }
  },
  judge: ({ answers, credits, other }) => {
    const odd = answers.find(({ detail, status }) => status !== 502 || !UNREADABLE.test(detail))
    if (odd !== undefined || answers.length === 0) return `taken, or not named: ${odd?.detail}`
    if (credits !== 100) return `failed calls cost ${100 - credits} credits`
    return other === 200 ? undefined : `the call of another user got ${other}`
  },
  held: {
    answers: [{ status: 502, detail: 'The upstream answered, but its answer cannot be read: …' }],
    credits: 100,
    other: 200,
  },
  broken: [
    {
      answers: [{ status: 504, detail: 'The upstream did not answer.' }],
      credits: 100,
      other: 200,
    },
    { answers: [{ status: 502, detail: 'its answer cannot be read' }], credits: 96, other: 200 },
    { answers: [{ status: 502, detail: 'its answer cannot be read' }], credits: 100, other: 502 },
    { answers: [], credits: 100, other: 200 },
  ],
})

const UNREADABLE = /its answer cannot be read/

async function creditsOf(target: Target, uid: string) {
  const { credits } = await target.credits(uid)
  return { credits }
}

export const ANSWER_ATTACKS = [ECHOED, NUMBERS, BROKEN_HTTP]
