/** Files that are no text in UTF-8, by each command that reads one. Nothing is sent. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { closePort, openPort } from '../../local/http/listen.ts'
import { runLine } from './test-shell.ts'

const SKILL = '{"id":"sg_greet","meta":{"name":"Greet","description":"Greets."}}'
const WIDE = Buffer.from(`\ufeff${SKILL}`, 'utf16le')

let server: Server
let origin = ''
let home = ''
let bodies: string[] = []

beforeAll(async () => {
  server = createServer(async (request, response) => {
    bodies.push(await text(request))
    response.setHeader('content-type', 'application/json')
    response.end('{"toolName":"sg_greet","created":true}')
  })
  origin = `http://127.0.0.1:${await openPort(server, { host: '127.0.0.1', port: 0 })}`
  home = mkdtempSync(join(tmpdir(), 'skillgate-text-'))
  writeFileSync(join(home, 'wide.json'), WIDE)
  writeFileSync(join(home, 'packed.json'), gzipSync(SKILL))
  mkdirSync(join(home, 'skills'))
  writeFileSync(join(home, 'skills/a.json'), WIDE)
  writeFileSync(join(home, 'skills/b.json'), SKILL)
})
afterAll(async () => {
  rmSync(home, { recursive: true, force: true })
  await closePort(server)
})
beforeEach(() => {
  bodies = []
})

function run(line: string, stdin: string | Uint8Array = '') {
  const env = { SKILLGATE_URL: origin, SKILLGATE_ADMIN_KEY: 'admin', SKILLGATE_KEY: 'key' }
  return runLine(line.split(' '), { env, stdin, cwd: home, home })
}

describe.each([
  ['wide.json', WIDE, 'is encoded as UTF-16 (little endian).\nSave it as UTF-8.\n'],
  ['packed.json', gzipSync(SKILL), 'is compressed (gzip).\nUnpack it first.\n'],
])('the file %s', (file, bytes, says) => {
  test.each([
    `skills push ${file}`,
    `skills plan ${file} --set greetings`,
    `skills apply ${file} --set greetings`,
    `skills test ${file}`,
    `import openapi plan ${file} --prefix pets`,
    `users batch ${file}`,
    `credits batch ${file}`,
    `api POST users --input ${file}`,
    `secrets set ada API_KEY --from-file ${file}`,
    `secrets shared set API_KEY --origin https://api.example.com --from-file ${file}`,
  ])('the command %s names what the file is', async (line) => {
    const { code, err } = await run(line)
    expect([code, err, bodies]).toEqual([2, `${join(home, file)} ${says}`, []])
  })

  test.each(['skills push -', 'users batch -', 'api POST users --input -', 'secrets set ada KEY'])(
    'the command %s names what comes on stdin',
    async (line) => {
      const { code, err } = await run(line, bytes)
      expect([code, err, bodies]).toEqual([2, `The text on stdin ${says}`, []])
    },
  )
})

test('one file of a folder that is no text is refused, and the others are pushed', async () => {
  const { code, out } = await run('skills push skills')
  expect(code).toBe(1)
  expect(out).toContain(
    `${join(home, 'skills/a.json')} is encoded as UTF-16 (little endian). Save it as UTF-8.`,
  )
  expect(bodies).toContain(SKILL)
})
