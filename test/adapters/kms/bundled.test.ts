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
import { closePort, openPort } from '../../../local/http/listen.ts'
import { bundleInto } from '../../../scripts/bundle.ts'
import { foreignMessage } from './foreign-message.ts'
import { KEY_ID, kmsDouble } from './kms-double.ts'

const REPO = join(import.meta.dirname, '../../..')

const CONTEXT = { uid: 'u-1', skillId: 'sg_a', name: 'KEY', binding: '{}' }
/** As it stands in messages: the binding by its sha256. */
const SENT = { ...CONTEXT, binding: 'RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o' }

/** Opens in a process of its own what it is given, or seals and opens a value of its own. Prints the results. */
const ENTRY = `
import { readProcessConfig } from './adapters/config/env.ts'
import { makeKmsSecretSeals } from './adapters/kms/kms-seals.ts'
const seals = makeKmsSecretSeals(readProcessConfig(['secretsKey']).secretsKey)
const context = ${JSON.stringify(CONTEXT)}
const [mode, ...given] = process.argv.slice(2)
const show = (results) => {
  process.stdout.write(JSON.stringify(results))
  process.exit(0)
}
const told = ({ error, ok, value }) => (ok ? value : [error.why, error.cause.message])
const bytesOf = (text) => new Uint8Array(Buffer.from(text, 'base64'))
if (mode === 'open') {
  const results = given.map(async (text) => told(await seals.open(context, bytesOf(text))))
  show(await Promise.all(results))
}
const sealed = await seals.seal(context, 'correct horse')
const opened = sealed.ok ? await seals.open(context, sealed.value) : sealed
const moved = sealed.ok ? await seals.open({ ...context, uid: 'u-2' }, sealed.value) : sealed
show([opened, moved.ok ? '' : moved.error.why])`

const folder = mkdtempSync(join(tmpdir(), 'skillgate-sealed-bundle-'))
const texts = new Map<string, string>()
let inputs: readonly string[]
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
  endpoint = `http://127.0.0.1:${await openPort(server, { host: '127.0.0.1', port: 0 })}`
  const { metafile, outputFiles } = await bundleInto(folder, {
    stdin: { contents: ENTRY, resolveDir: REPO, sourcefile: 'index.ts' },
  })
  inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs))
  for (const { path, contents, text } of outputFiles) {
    const name = basename(path).replace('stdin', 'index')
    writeFileSync(join(folder, name), contents)
    texts.set(name, text)
  }
})
afterAll(async () => {
  await closePort(server)
  rmSync(folder, { recursive: true })
})

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

/** What the bundle prints. */
async function run(...args: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(folder, 'index.mjs'), ...args],
    {
      env: {
        AWS_ENDPOINT_URL_KMS: endpoint,
        AWS_ACCESS_KEY_ID: 'ASIAX',
        AWS_SECRET_ACCESS_KEY: 'secret',
        SECRETS_KEY_ID: KEY_ID,
      },
    },
  )
  return JSON.parse(stdout)
}

describe('a bundle with secrets', () => {
  test('seals and opens as from source, with the credentials of its environment', async () => {
    expect(await run()).toEqual([{ ok: true, value: 'correct horse' }, 'foreign'])
    expect(asked).toEqual(['GenerateDataKey', 'Decrypt'])
  })

  test('has all of the Encryption SDK, its KMS client among it, in a file of its own', () => {
    const names = [...texts.keys()].filter((name) => name.endsWith('.mjs')).sort()
    expect(names).toEqual(['index.mjs', 'sdk-parts.mjs'])
    expect(texts.get('index.mjs')?.length).toBeLessThan(42_000)
    const has = (name: string) => texts.get(name)?.includes('TrentService')
    expect([has('index.mjs'), has('sdk-parts.mjs')]).toEqual([false, true])
    expect(inputs.some((path) => path.includes('@aws-sdk/client-kms/'))).toBe(true)
  })

  test('refuses a message of its key that is signed, and asks KMS nothing', async () => {
    asked.length = 0
    const signed = await foreignMessage(kmsDouble(), SENT, 'signing')
    // Of the same context, since its header names a suite with a signature and no key of one.
    const unsigned = Buffer.from(await foreignMessage(kmsDouble(), SENT, 'committing'))
    expect(unsigned.subarray(1, 3).toString('hex')).toBe('0478')
    unsigned.writeUInt16BE(0x0578, 1)
    expect(await run('open', base64(signed), base64(unsigned))).toEqual([
      ['foreign', 'a sealed secret was copied to another user, skill or name'],
      ['foreign', 'a sealed secret does not open: it was sealed with another key, or changed'],
    ])
    expect(asked).toEqual([])
  })
})
