import { describe, expect, test } from 'vitest'
import { loadOnce } from '../../../core/cache/load-once.ts'
import { Fault } from '../../../core/errors.ts'

describe('late code', () => {
  test('is loaded once for uses that meet, and kept', async () => {
    let loads = 0
    const code = loadOnce(async () => {
      loads += 1
      return { answer: 42 }
    })
    const [first, second] = await Promise.all([code(), code()])
    expect([first, second, await code()]).toEqual([{ answer: 42 }, { answer: 42 }, { answer: 42 }])
    expect(loads).toBe(1)
  })

  test('is not loaded before its first use', () => {
    let loads = 0
    loadOnce(async () => {
      loads += 1
    })
    expect(loads).toBe(0)
  })

  test('is a fault with its cause where it cannot be loaded, and is loaded by the next use', async () => {
    const cause = new Error('no such file')
    let loads = 0
    const code = loadOnce(async () => {
      loads += 1
      if (loads === 1) throw cause
      return 'loaded'
    })
    const fault = await code().catch((thrown: unknown) => thrown)
    expect(fault).toBeInstanceOf(Fault)
    expect(fault).toMatchObject({ code: 'internal', cause })
    expect(await code()).toBe('loaded')
  })
})
