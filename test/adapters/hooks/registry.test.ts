import { describe, expect, test } from 'vitest'
import { makeAllHooks, makeHookOptionChecks } from '../../../adapters/hooks/all-hooks.ts'
import { makeLateHooks } from '../../../adapters/hooks/late-hooks.ts'
import { LATE_CONVERTERS, makeHooks } from '../../../adapters/hooks/registry.ts'
import { HOOK_NAMES } from '../../../core/skills/definition/hook-names.ts'
import {
  contextOf,
  FROZEN,
  type HookCase,
  REQUEST,
  responseOf,
} from '../../contracts/hook-rounds.ts'

const SETTINGS = { clock: FROZEN, outboundAllow: [] }
const HOOKS = makeHooks(SETTINGS)
const NO_CASE: HookCase = {
  make: () => {
    throw new Error('the hooks are made already')
  },
  options: {},
  badOptions: [],
  secrets: {},
}

test('the hooks are those whose names the core knows', () => {
  const names = [...makeAllHooks(SETTINGS, LATE_CONVERTERS).keys()]
  expect(names.sort()).toEqual([...HOOK_NAMES].sort())
})

test('a door that only checks options judges them as the hooks do', () => {
  const checks = makeHookOptionChecks(SETTINGS)
  for (const name of [...HOOK_NAMES, 'no_such_hook']) {
    expect(checks.optionFaults(name, { x: 1 })).toEqual(HOOKS.optionFaults(name, { x: 1 }))
  }
})

describe('a hook found by its name', () => {
  test('judges its options and names its secrets', () => {
    expect(HOOKS.optionFaults('hmac_sha256_signature', {})).toMatchObject([{ pointer: '/secret' }])
    expect(HOOKS.optionFaults('html_to_markdown', {})).toEqual([])
    expect(HOOKS.secretNames('hmac_sha256_signature', { secret: 'KEY' })).toEqual(['KEY'])
  })

  test('passes requests and answers through unchanged where it has no function for them', async () => {
    const context = contextOf({ ...NO_CASE, secrets: { KEY: 'k-e-y' } })
    const signing = { ...context, options: { secret: 'KEY' } }
    const response = responseOf('<p>', { mediaType: 'text/html' })
    expect(await HOOKS.before('html_to_markdown', REQUEST, context)).toEqual({
      ok: true,
      value: REQUEST,
    })
    expect(await HOOKS.after('hmac_sha256_signature', response, signing)).toEqual({
      ok: true,
      value: response,
    })
  })

  test('does its work', async () => {
    const context = {
      ...contextOf({ ...NO_CASE, secrets: { KEY: 'k-e-y' } }),
      options: { secret: 'KEY' },
    }
    const signed = await HOOKS.before('hmac_sha256_signature', REQUEST, context)
    expect(signed.ok && signed.value.headers).toHaveProperty('x-signature')
    const page = responseOf('<h1>Hi', { mediaType: 'text/html' })
    const read = await HOOKS.after('html_to_markdown', page, contextOf(NO_CASE))
    expect(read.ok && read.value !== 'again' && read.value.mediaType).toBe('text/markdown')
  })
})

test.each(['no_such_hook', '__proto__', 'constructor', ''])(
  'an unknown hook is not found: %j',
  async (name) => {
    expect(HOOKS.optionFaults(name, {})).toBeUndefined()
    expect(HOOKS.secretNames(name, {})).toEqual([])
    expect((await HOOKS.before(name, REQUEST, contextOf(NO_CASE))).ok).toBe(false)
    expect((await HOOKS.after(name, responseOf(''), contextOf(NO_CASE))).ok).toBe(false)
  },
)

describe('hooks that are loaded late', () => {
  test('answer as the others once they are opened', async () => {
    const late = makeLateHooks(SETTINGS)
    await late.open?.()
    for (const name of [...HOOK_NAMES, 'no_such_hook']) {
      expect(late.optionFaults(name, { x: 1 })).toEqual(HOOKS.optionFaults(name, { x: 1 }))
    }
    const options = { secret: 'KEY' }
    expect(late.secretNames('hmac_sha256_signature', options)).toEqual(['KEY'])
    expect(late.urls('hmac_sha256_signature', options)).toEqual([])
    const context = contextOf(NO_CASE)
    expect(await late.before('no_such_hook', REQUEST, context)).toMatchObject({ ok: false })
  })

  test('hooks that are asked for their secrets before they are opened throw, so that no call runs without them', () => {
    expect(() => makeLateHooks(SETTINGS).secretNames('hmac_sha256_signature', {})).toThrow(
      'hooks: asked before they were opened',
    )
  })
})
