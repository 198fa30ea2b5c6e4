import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LOCK_STALE_MS, withLock } from '../../cli/sign-in/login-lock.ts'

const NEVER = new AbortController().signal

let folder = ''
let path = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-lock-'))
  path = join(folder, 'config', 'default.lock')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A lock that another process took `ageMs` ago. */
function leaveLock(ageMs: number): void {
  path = join(folder, 'default.lock')
  writeFileSync(path, 'another process')
  const takenAt = (Date.now() - ageMs) / 1_000
  utimesSync(path, takenAt, takenAt)
}

/** The most of three commands that have the lock at once. */
async function mostAtOnce(): Promise<number> {
  let inside = 0
  let most = 0
  const work = async () => {
    inside += 1
    most = Math.max(most, inside)
    await new Promise((resolve) => setImmediate(resolve))
    inside -= 1
  }
  await Promise.all([1, 2, 3].map(() => withLock(path, NEVER, work)))
  return most
}

describe('the lock of a sign-in', () => {
  test('is held by one at a time, and is gone afterwards', async () => {
    expect(await mostAtOnce()).toBe(1)
    expect(existsSync(path)).toBe(false)
  })

  test('is given back when the work fails', async () => {
    const fail = () => Promise.reject(new Error('the issuer is down'))
    await expect(withLock(path, NEVER, fail)).rejects.toThrow('the issuer is down')
    expect(existsSync(path)).toBe(false)
  })

  test('of a process that died is taken over once it is too old, by one of many', async () => {
    leaveLock(LOCK_STALE_MS + 1_000)
    expect(await mostAtOnce()).toBe(1)
    expect(existsSync(path)).toBe(false)
  })

  test('of a process that may still work is waited for until the command is interrupted', async () => {
    leaveLock(LOCK_STALE_MS - 20_000)
    const interrupted = new AbortController()
    const waiting = withLock(path, interrupted.signal, () => Promise.resolve('has the lock'))
    interrupted.abort()
    await expect(waiting).rejects.toThrow()
    expect(existsSync(path)).toBe(true)
  })

  test('that was taken over while its holder worked is not removed by the holder', async () => {
    await withLock(path, NEVER, async () => writeFileSync(path, 'another process'))
    expect(existsSync(path)).toBe(true)
  })
})
