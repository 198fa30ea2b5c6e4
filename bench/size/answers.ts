/**
 * The upstream of bench:size, a process of its own: gives the answers that need most memory, each
 * of the 4 MB that are read as text, or of the half megabyte that a hook accepts. Takes what is
 * put, as a bucket does.
 */
import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import { JSON_NAMES_MAX, JSON_PARTS_MAX, TEXT_BYTES_MAX } from '../../core/json/limits.ts'
import { openPort } from '../../local/http/listen.ts'

const HOOK_BYTES = 511_000
const JSON_TYPE = 'application/json'
const TEXT_TYPE = 'text/plain; charset=utf-8'
/** Also the value of the skills' secret; an answer that contains it is masked. */
const SECRET = 'bk_live_7Qm2xVt9RzKp4LwY8NcD3HfB6JsG1TaE'

type Answer = { readonly type: string; readonly body: string | Buffer; readonly encoding?: string }

const ANSWERS: { readonly [kind: string]: () => Answer } = {
  json: () => ({ type: JSON_TYPE, body: toRecords('') }),
  json_packed: () => ({ type: JSON_TYPE, body: gzipSync(toRecords('')), encoding: 'gzip' }),
  // One character outside Latin-1 makes V8 keep two bytes for each character.
  json_wide: () => ({ type: JSON_TYPE, body: toRecords('😀') }),
  json_secret: () => ({ type: JSON_TYPE, body: toRecords(SECRET) }),
  json_names: () => ({ type: JSON_TYPE, body: pad(toNames()) }),
  json_objects: () => ({ type: JSON_TYPE, body: pad(toItems('{}', JSON_PARTS_MAX / 2 - 10)) }),
  json_past_limit: () => ({ type: JSON_TYPE, body: pad(toItems('{}', 1_300_000)) }),
  text: () => ({ type: TEXT_TYPE, body: fill('A line of some text.\n', TEXT_BYTES_MAX) }),
  text_quotes: () => ({ type: TEXT_TYPE, body: fill('"\\\n', TEXT_BYTES_MAX) }),
  text_wide: () => ({ type: TEXT_TYPE, body: withEnding('😀') }),
  text_secret: () => ({ type: TEXT_TYPE, body: withEnding(SECRET) }),
  image: () => ({ type: 'image/png', body: Buffer.alloc(TEXT_BYTES_MAX, 0x89) }),
  page: () => ({
    type: 'text/html',
    body: toPage('<li><a href="/some">Some page</a> of 2026</li>'),
  }),
  page_past_limit: () => ({ type: 'text/html', body: toPage('<b>a</b>') }),
  csv: () => ({
    type: 'text/csv',
    body: `a,b\n${fill('1234567,Some more text in here\n', 300_000)}`,
  }),
  xml: () => ({ type: 'text/xml', body: `<r>${'<i a="1"><n>name</n></i>'.repeat(9_000)}</r>` }),
}

function toRecords(more: string): string {
  const row = { id: 1, name: 'Weather station', open: true, at: [47.5, 19.05], tags: ['a', 'b'] }
  return pad(`${JSON.stringify(more)},${toItems(JSON.stringify(row), 40_000)}`)
}

function toNames(): string {
  const members = Array.from({ length: JSON_NAMES_MAX - 10 }, (_, at) => `"k${at.toString(36)}":0`)
  return `{${members.join(',')}}`
}

function toItems(item: string, count: number): string {
  return Array<string>(Math.floor(count)).fill(item).join(',')
}

/** Returns a JSON text of the largest size. */
function pad(values: string): string {
  const open = `{"values":[${values}],"rest":"`
  return `${open}${'x'.repeat(Math.max(0, TEXT_BYTES_MAX - Buffer.byteLength(open) - 2))}"}`
}

function withEnding(text: string): string {
  return fill('A line of some text.\n', TEXT_BYTES_MAX - Buffer.byteLength(text)) + text
}

function toPage(item: string): string {
  return `<html><body>${fill(item, HOOK_BYTES)}</body></html>`
}

function fill(part: string, bytes: number): string {
  return part.repeat(Math.ceil(bytes / part.length)).slice(0, bytes)
}

const made = new Map<string, Answer>()

const server = createServer((request, response) => {
  request.resume()
  const kind = (request.url ?? '').slice(1)
  const make = ANSWERS[kind]
  if (make === undefined) {
    response.setHeader('content-type', JSON_TYPE)
    return void response.end('{"ok":true}')
  }
  const answer = made.get(kind) ?? make()
  made.set(kind, answer)
  const { body, encoding, type } = answer
  const packed = encoding === undefined ? {} : { 'content-encoding': encoding }
  response.writeHead(200, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    ...packed,
  })
  response.end(body)
})
const port = await openPort(server, { host: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
