import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeRawSecretSeals } from '../../../adapters/kms/raw-seals.ts'

const REPO = join(import.meta.dirname, '../../..')
const CONTEXT = { uid: 'u-1', skillId: 'sg_a', name: 'KEY', binding: '{}' }

describe('raw seals', () => {
  test('ask for their key at each use, and name the use', async () => {
    const uses: string[] = []
    const key = new Uint8Array(randomBytes(32))
    const seals = makeRawSecretSeals((use) => {
      uses.push(use)
      return key
    })
    const sealed = await seals.seal(CONTEXT, 'a value')
    await seals.open(CONTEXT, sealed.ok ? sealed.value : new Uint8Array())
    expect(uses).toEqual(['seal', 'open'])
  })

  test('without a key are denied, with the cause', async () => {
    const cause = new Error('the key is missing')
    const seals = makeRawSecretSeals(() => {
      throw cause
    })
    const denied = { ok: false, error: { why: 'denied', cause } }
    expect(await seals.seal(CONTEXT, 'a value')).toEqual(denied)
    expect(await seals.open(CONTEXT, new Uint8Array([1]))).toEqual(denied)
  })

  test('accept a key that is part of a larger buffer, and leave the buffer unchanged', async () => {
    const pool = randomBytes(64)
    const before = Buffer.from(pool)
    const seals = makeRawSecretSeals(() => pool.subarray(16, 48))
    const sealed = await seals.seal(CONTEXT, 'a value')
    expect(await seals.open(CONTEXT, sealed.ok ? sealed.value : new Uint8Array())).toEqual({
      ok: true,
      value: 'a value',
    })
    expect(pool.equals(before)).toBe(true)
  })
})

test.each(['kms-seals.ts', 'raw-seals.ts'])(
  'the module %s loads nothing of the Encryption SDK or of KMS before the first secret',
  (file) => {
    const script = `
      const { createRequire } = await import('node:module')
      const made = await import(${JSON.stringify(join(REPO, 'adapters/kms', file))})
      const seals = (made.makeRawSecretSeals ?? ((key) => made.makeKmsSecretSeals({ keyId: 'k' })))(() => new Uint8Array(32))
      const loaded = () => Object.keys(createRequire(import.meta.url).cache)
        .filter((path) => /client-node|client-kms/.test(path)).length
      const before = loaded()
      await seals.open({ uid: 'u', skillId: '-', name: 'KEY' }, new Uint8Array())
      console.log(JSON.stringify([before, loaded() > 0]))`
    const args = ['--input-type=module', '--eval', script]
    const printed = execFileSync(process.execPath, args, { cwd: REPO, encoding: 'utf8' })
    expect(JSON.parse(printed)).toEqual([0, true])
  },
)
