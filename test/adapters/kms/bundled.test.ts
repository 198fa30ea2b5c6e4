/**
 * Secrets in a bundle as deployed: the Encryption SDK lies beside the door and loads with the first
 * secret.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { close, listen } from '../../../local/http/listen.ts'
import { bundleInto } from '../../../scripts/bundle.ts'
import { KEY_ID } from './kms-double.ts'

const REPO = join(import.meta.dirname, '../../..')

/** Seals and opens in a process of its own; prints the results and the load time of each file. */
const ENTRY = `
import { kmsSecretSeals } from './adapters/kms/kms-seals.ts'
const seals = kmsSecretSeals({ keyId: ${JSON.stringify(KEY_ID)} })
const context = { uid: 'u-1', skillId: 'sg_a', name: 'KEY', binding: '{}' }
const sealed = await seals.seal(context, 'correct horse')
const opened = sealed.ok ? await seals.open(context, sealed.value) : sealed
const moved = sealed.ok ? await seals.open({ ...context, uid: 'u-2' }, sealed.value) : sealed
process.stdout.write(JSON.stringify([opened, moved.ok ? '' : moved.error.why]))
process.exit(0)`

const folder = mkdtempSync(join(tmpdir(), 'skillgate-sealed-bundle-'))
const texts = new Map<string, string>()
const asked: string[] = []
const dataKey = randomBytes(32).toString('base64')

/** KMS with one data key for everything. */
const server = createServer((request, response) => {
  asked.push(String(request.headers['x-amz-target']).replace('TrentService.', ''))
  const wrapped = randomBytes(184).toString('base64')
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' })
    response.end(JSON.stringify({ KeyId: KEY_ID, Plaintext: dataKey, CiphertextBlob: wrapped }))
  })
})
let endpoint: string

beforeAll(async () => {
  endpoint = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}`
  const { outputFiles } = await bundleInto(folder, {
    stdin: { contents: ENTRY, resolveDir: REPO, sourcefile: 'index.ts' },
  })
  for (const { path, contents, text } of outputFiles) {
    const name = basename(path).replace('stdin', 'index')
    writeFileSync(join(folder, name), contents)
    texts.set(name, text)
  }
})
afterAll(async () => {
  await close(server)
  rmSync(folder, { recursive: true })
})

describe('a bundle with secrets', () => {
  test('a bundle with secrets seals and opens as from source, with the credentials of its environment', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'index.mjs')], {
      env: {
        AWS_ENDPOINT_URL_KMS: endpoint,
        AWS_ACCESS_KEY_ID: 'ASIAX',
        AWS_SECRET_ACCESS_KEY: 'secret',
      },
    })
    expect(JSON.parse(stdout)).toEqual([{ ok: true, value: 'correct horse' }, 'foreign'])
    expect(asked).toEqual(['GenerateDataKey', 'Decrypt'])
  })

  test('a bundle with secrets has all of the Encryption SDK in a file of its own, and no branch keys', () => {
    const names = [...texts.keys()].filter((name) => name.endsWith('.mjs')).sort()
    expect(names).toEqual(['index.mjs', 'sdk-parts.mjs'])
    expect(texts.get('index.mjs')?.length).toBeLessThan(20_000)
    const sdk = texts.get('sdk-parts.mjs') ?? ''
    expect([sdk.includes('TrentService'), sdk.includes('DynamoDB_20120810')]).toEqual([true, false])
  })
})
