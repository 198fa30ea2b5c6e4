/** Contract of plugin hooks: the behaviour that each one must have. docs/hooks.md refers to it. */
import { describe, expect, test } from 'vitest'
import type { Hook } from '../../adapters/hooks/hook.ts'
import {
  answersThatTell,
  contextOf,
  echoing,
  FROZEN,
  failuresOf,
  frozen,
  type HookCase,
  REQUEST,
  responseOf,
  round,
  unmarkedPlaces,
  untilAborted,
  valuesOf,
  watched,
} from './hook-rounds.ts'

const SETTINGS = { clock: FROZEN, outboundAllow: [] }

export function describeHook(name: string, hook: HookCase): void {
  const make = () => hook.make(SETTINGS)
  describeOptions(name, hook, make)
  describeSecrets(name, hook, make)
  describeCalls(name, hook, make)
}

type Make = () => Hook

function describeOptions(name: string, hook: HookCase, make: Make): void {
  describe(`${name}: options`, () => {
    test('options that are good have no fault', () => {
      expect(make().optionFaults(frozen(hook.options))).toEqual([])
    })

    test.each(hook.badOptions)(
      'the option %s is a fault with its place',
      (_what, options, pointer) => {
        const faults = make().optionFaults(frozen(options))
        expect(faults.map((fault) => fault.pointer)).toContain(pointer)
      },
    )

    test('options that the hook does not have are a fault, so that a typo switches nothing off', () => {
      const faults = make().optionFaults({ ...hook.options, heder: 'x' })
      expect(faults).toMatchObject([{ pointer: '/heder' }])
    })

    test('options that hold a secret’s value where its name belongs are not repeated', () => {
      for (const option of Object.keys(hook.options)) {
        const faults = make().optionFaults({ ...hook.options, [option]: 'hunter2 is my password' })
        expect(JSON.stringify(faults)).not.toContain('hunter2')
      }
    })

    test.each(hook.badOptions)(
      'the wrong option %s, if stored all the same, fails the call',
      async (_what, options) => {
        const { before, after } = await round(make(), hook, contextOf(hook, { options }))
        expect([before?.ok, after?.ok]).toContain(false)
      },
    )
  })
}

function describeSecrets(name: string, hook: HookCase, make: Make): void {
  describe(`${name}: secrets`, () => {
    test('the hook declares all secrets that it asks for', async () => {
      const asked = new Set<string>()
      const values = new Map(Object.entries(hook.secrets))
      const secrets = watched(values, (one) => asked.add(one))
      await round(make(), hook, contextOf(hook, { secrets }))
      const declared = make().secretNames(hook.options)
      expect([...asked].filter((one) => !declared.includes(one))).toEqual([])
      expect([...declared].sort()).toEqual(Object.keys(hook.secrets).sort())
    })

    test('the hook sends only to origins that it declares', async () => {
      const context = contextOf(hook)
      await round(make(), hook, context)
      const originsOf = (urls: readonly string[]) => new Set(urls.map((url) => new URL(url).origin))
      const sent = originsOf(context.sent.map(({ url }) => url))
      expect(sent).toEqual(originsOf(make().urls?.(hook.options) ?? []))
    })

    test.each(Object.keys(hook.secrets))(
      'the missing secret %s fails the call by name',
      async (missing) => {
        const kept = Object.entries(hook.secrets).filter(([one]) => one !== missing)
        const context = contextOf(hook, { secrets: new Map(kept) })
        const { before, after } = await round(make(), hook, context)
        expect(failuresOf([before, after])[0]?.detail).toContain(missing)
        expect(context.sent).toEqual([])
      },
    )

    test.each(answersThatTell(hook))(
      "the hook's failures contain no secret: %s",
      async (_what, answer) => {
        const response = hook.response === undefined ? {} : { response: echoing(hook) }
        const context = contextOf({ ...hook, answer })
        const { before, after } = await round(make(), { ...hook, ...response }, context)
        const failures = failuresOf([before, after])
        for (const value of valuesOf(hook, context)) {
          expect(JSON.stringify(failures)).not.toContain(value)
        }
      },
    )

    test("the hook's secrets, and the values that it got for them, are masked where a request holds them", async () => {
      const context = contextOf(hook)
      const { before } = await round(make(), hook, context)
      const requests = [...context.sent, ...(before?.ok === true ? [before.value] : [])]
      const values = valuesOf(hook, context)
      const unmarked = requests.flatMap((request) =>
        values.flatMap((value) => unmarkedPlaces(request, value)),
      )
      expect(unmarked).toEqual([])
    })
  })
}

function describeCalls(name: string, hook: HookCase, make: Make): void {
  describe(`${name}: a call`, () => {
    test('two calls at the same moment give the same request', async () => {
      const [one, other] = [contextOf(hook), contextOf(hook)]
      const first = await round(make(), hook, one)
      expect(first).toEqual(await round(make(), hook, other))
      expect(one.sent).toEqual(other.sent)
      expect([first.before, first.after].every((result) => result?.ok !== false)).toBe(true)
    })

    test('a call keeps the parts of a request that the hook does not change', async () => {
      const before = await make().before?.(frozen(REQUEST), contextOf(hook))
      if (before === undefined) return
      const changed = before.ok ? before.value : undefined
      const sets = hook.sets ?? []
      const others = Object.entries(changed?.headers ?? {}).filter(([one]) => !sets.includes(one))
      expect({ ...changed, headers: Object.fromEntries(others), sensitive: undefined }).toEqual({
        ...REQUEST,
        sensitive: undefined,
      })
      const marked = { ...REQUEST, sensitive: { headers: ['accept'], query: true, body: true } }
      const again = await make().before?.(frozen(marked), contextOf(hook))
      expect(again?.ok === true && again.value.sensitive).toMatchObject({
        headers: expect.arrayContaining(['accept']),
        query: true,
        body: true,
      })
    })

    test.each([
      ['JSON', responseOf('{"a":1}')],
      ['nothing', responseOf('', { status: 204, mediaType: '' })],
      ['an image', responseOf('\u0001', { mediaType: 'image/png' })],
      ['an error as HTML', responseOf('<p>no', { status: 500, mediaType: 'text/html' })],
      ['a redirect', responseOf('', { status: 304, mediaType: '' })],
    ])('a call keeps an answer that the hook does not change: %s', async (_what, response) => {
      const after = await make().after?.(response, contextOf(hook))
      if (after !== undefined) expect(after).toEqual({ ok: true, value: response })
    })

    test('a call ends soon after its signal at any moment, and never throws because of it', async () => {
      for (const when of ['before', 'during'] as const) {
        const call = new AbortController()
        if (when === 'before') call.abort('over')
        const context = contextOf(hook, {
          signal: call.signal,
          send: () => untilAborted(call.signal),
        })
        const running = round(make(), hook, context)
        call.abort('over')
        await expect(running).resolves.toBeDefined()
      }
    })
  })
}
