import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createCredentials, loadCredentials } from '../../../local/settings/credentials.ts'

let scratch = ''
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'skillgate-credentials-'))
})
afterEach(() => rmSync(scratch, { recursive: true, force: true }))

describe('credentials of the twin', () => {
  test('are four different secrets of 256 bits', () => {
    const { adminKey, internalApiSecret, key, secondKey } = createCredentials()
    expect(new Set([adminKey, internalApiSecret, key, secondKey]).size).toBe(4)
    expect(adminKey).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(internalApiSecret).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(key).toMatch(/^sgk_[A-Za-z0-9_-]{43}$/)
    expect(secondKey).toMatch(/^sgk_[A-Za-z0-9_-]{43}$/)
  })

  test('are made once, and only their owner may read them', () => {
    const made = loadCredentials(scratch)
    expect(loadCredentials(scratch)).toEqual(made)
    expect(readdirSync(scratch)).toEqual(['credentials.json'])
    expect(statSync(join(scratch, 'credentials.json')).mode & 0o777).toBe(0o600)
  })

  test('that others may read are closed to them at the next start', () => {
    loadCredentials(scratch)
    chmodSync(join(scratch, 'credentials.json'), 0o644)
    loadCredentials(scratch)
    expect(statSync(join(scratch, 'credentials.json')).mode & 0o777).toBe(0o600)
  })

  test.each(['{', '{}', '{"key":"sgk_short"}', 'null'])(
    'the credentials %s are refused',
    (text) => {
      const file = join(scratch, 'credentials.json')
      writeFileSync(file, text)
      expect(() => loadCredentials(scratch)).toThrow(
        `${file} does not hold the twin's credentials: delete it to get new ones (agents then need the new key).`,
      )
    },
  )
})
