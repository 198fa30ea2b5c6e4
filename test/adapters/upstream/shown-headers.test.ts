/** Response headers that a call asks for, from a real server. */
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { httpUpstream } from '../../../adapters/upstream/http-upstream.ts'
import { httpServer } from './misbehaving-server.ts'

const running: { close(): unknown }[] = []
afterEach(async () => {
  for (const opened of running.splice(0)) await opened.close()
})

const HEADERS = [
  ['Link', '</2>; rel="next"'],
  ['link', '</9>; rel="last"'],
  ['Location', '/things/7'],
  ['Set-Cookie', 'session=s3cret'],
]

async function answer(path: string, showHeaders: readonly string[] | undefined) {
  const server = await httpServer((request, response) => {
    if (request.url === '/moved') return void response.writeHead(302, { location: '/there' }).end()
    const isPacked = request.url === '/packed'
    const more = isPacked ? [['content-encoding', 'gzip']] : []
    response.writeHead(201, [...HEADERS, ...more].flat())
    response.end(isPacked ? gzipSync('{}') : '{}')
  })
  const upstream = httpUpstream({ outboundAllow: [server.host] })
  running.push(upstream, server)
  return upstream.send(
    { method: 'GET', url: `http://${server.host}${path}`, headers: {}, body: undefined },
    { responseBytesMax: 1_000, signal: new AbortController().signal, uid: 'ada', showHeaders },
  )
}

const SHOWN = { link: '</2>; rel="next", </9>; rel="last"', location: '/things/7' }

test.each([['/plain'], ['/packed'], ['/moved']])(
  'an answer at %s has the headers that were asked for, several of a name joined, and no others',
  async (path) => {
    const answered = await answer(path, ['link', 'location', 'etag'])
    expect(answered).toMatchObject({ kind: 'answered', response: { status: 201 } })
    expect(answered.kind === 'answered' && answered.response.headers).toEqual(SHOWN)
  },
)

test('an answer has no headers when none were asked for', async () => {
  const answered = await answer('/plain', undefined)
  expect(answered.kind === 'answered' && answered.response).not.toHaveProperty('headers')
})
