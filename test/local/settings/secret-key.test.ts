import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SecretSeals } from '../../../core/ports/secrets.ts'
import { openSecretSeals } from '../../../local/settings/secret-key.ts'
import { StartFault } from '../../../local/start-fault.ts'

let scratch = ''
let file = ''
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'skillgate-secret-key-'))
  file = join(scratch, 'secrets.key')
})
afterEach(() => rmSync(scratch, { recursive: true, force: true }))

const CONTEXT = { uid: 'demo', skillId: '-', name: 'KEY', binding: '{}' }

async function sealedBy(seals: SecretSeals): Promise<Uint8Array> {
  const sealed = await seals.seal(CONTEXT, 'a value')
  if (sealed.ok) return sealed.value
  throw new Error('not sealed', { cause: sealed.error.cause })
}

describe("the twin's key for secrets", () => {
  test('is made when the first secret is set, and only its owner may read it', async () => {
    const seals = openSecretSeals(scratch)
    expect(readdirSync(scratch)).toEqual([])
    await sealedBy(seals)
    expect(readdirSync(scratch)).toEqual(['secrets.key'])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).toMatch(/^[A-Za-z0-9_-]{43}\n$/)
  })

  test('opens after a restart the secrets sealed before it', async () => {
    const sealed = await sealedBy(openSecretSeals(scratch))
    const kept = readFileSync(file, 'utf8')
    expect(await openSecretSeals(scratch).open(CONTEXT, sealed)).toEqual({
      ok: true,
      value: 'a value',
    })
    expect(readFileSync(file, 'utf8')).toBe(kept)
  })

  test('that is lost is reported, and not made anew by opening', async () => {
    const sealed = await sealedBy(openSecretSeals(scratch))
    rmSync(file)
    const opened = await openSecretSeals(scratch).open(CONTEXT, sealed)
    expect(opened).toMatchObject({
      error: {
        why: 'denied',
        cause: {
          message: `${file} is missing: stop the twin and put it back, or set all secrets again.`,
        },
      },
    })
    expect(readdirSync(scratch)).toEqual([])
  })

  test('that was replaced opens no older secret, and opens those set anew', async () => {
    const old = await sealedBy(openSecretSeals(scratch))
    rmSync(file)
    const seals = openSecretSeals(scratch)
    const sealed = await sealedBy(seals)
    expect(await seals.open(CONTEXT, old)).toMatchObject({ error: { why: 'foreign' } })
    expect(await seals.open(CONTEXT, sealed)).toEqual({ ok: true, value: 'a value' })
  })

  test.each([0o644, 0o640, 0o604, 0o660])(
    'that others may read (mode %o) is refused with the remedy',
    async (mode) => {
      await sealedBy(openSecretSeals(scratch))
      chmodSync(file, mode)
      expect(() => openSecretSeals(scratch)).toThrow(
        new StartFault(
          `${file} may be read by others (mode ${mode.toString(8)}): chmod 600 it, and set all secrets again if another user may have read it.`,
        ),
      )
    },
  )

  test.each(['', 'short', 'A'.repeat(42), 'A'.repeat(48)])(
    'of %j is refused with the remedy',
    (text) => {
      writeFileSync(file, text, { mode: 0o600 })
      expect(() => openSecretSeals(scratch)).toThrow(
        new StartFault(
          `${file} does not hold a key of 32 bytes: put it back from a backup, or delete it and set all secrets again.`,
        ),
      )
    },
  )

  test('that is not a file is refused with the remedy', () => {
    mkdirSync(file, { mode: 0o700 })
    expect(() => openSecretSeals(scratch)).toThrow(`${file} cannot be read (EISDIR)`)
  })

  test('that cannot be written seals nothing', async () => {
    const seals = openSecretSeals(join(scratch, 'gone'))
    expect(await seals.seal(CONTEXT, 'a value')).toMatchObject({
      error: { why: 'denied', cause: { name: 'StartFault' } },
    })
  })

  test('without a folder lives as long as the process', async () => {
    const seals = openSecretSeals(undefined)
    const sealed = await sealedBy(seals)
    expect(await seals.open(CONTEXT, sealed)).toEqual({ ok: true, value: 'a value' })
    const next = openSecretSeals(undefined)
    expect(await next.open(CONTEXT, sealed)).toMatchObject({ error: { why: 'foreign' } })
  })
})
