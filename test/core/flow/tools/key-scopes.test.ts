/** Scopes of keys over the flows: what a key lists and finds is what it may call. */

import { describe, expect, test } from 'vitest'
import { credentialOf } from '../../../../bench/lib/credential.ts'
import { authenticate } from '../../../../core/flow/access/authenticate.ts'
import { openCallScope } from '../../../../core/flow/access/call-scope.ts'
import { startStoreWait } from '../../../../core/flow/access/store-wait.ts'
import { changeUser } from '../../../../core/flow/registry/rename-tools.ts'
import { syncToolList } from '../../../../core/flow/registry/sync-tool-list.ts'
import { answerToolsList } from '../../../../core/flow/tools/answer-tools-list.ts'
import { callTool } from '../../../../core/flow/tools/call-tool.ts'
import { makeToolListCache } from '../../../../core/flow/tools/tool-list-cache.ts'
import { changeKey, issueKey, listKeys } from '../../../../core/flow/users/manage-keys.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import { BUILT_IN } from '../built-in.ts'
import { execute, problemIn, run } from '../caller.ts'
import { call, openStream, textOf } from '../client.ts'
import { makeWorld, okOf, refusalOf, type World } from '../world.ts'

const LISTS = makeToolListCache()

async function listed(world: World, authorization: string): Promise<readonly string[]> {
  const answer = await answerToolsList(world.ports, world.settings, makeToolListCache(), {
    who: await authenticate(world.ports, credentialOf(authorization)),
    wait: startStoreWait(world.ports.clock),
    cursor: undefined,
    resultOf: ({ tools }) => ({ names: tools.map(({ name }) => name) }),
    shape: 'names',
    resultBytesMax: 100_000,
  })
  if (!answer.ok) throw new Error(answer.error.message)
  const { names }: { names: string[] } = JSON.parse(answer.value)
  return names
}

async function callMcp(world: World, authorization: string, name: string, args: JsonObject = {}) {
  const outcome = await callTool(world.ports, world.settings, {
    scope: openCallScope(world.ports),
    name,
    arguments: args,
    credential: credentialOf(authorization),
    ownerOf: async () => undefined,
    callId: `c-${name}-${world.ports.ids.token(6)}`,
    deadlineMs: world.clock.nowMs() + 15_000,
    lists: LISTS,
    door: 'mcp',
  })
  if (outcome.kind !== 'result') throw new Error(outcome.kind)
  return outcome.result
}

async function found(world: World, authorization: string): Promise<readonly string[]> {
  const { structuredContent } = await callMcp(world, authorization, 'sg_search_skills', {
    query: 'what does',
    limit: 50,
  })
  const { tools }: { tools: { name: string }[] } = JSON.parse(JSON.stringify(structuredContent))
  return tools.map(({ name }) => name).sort()
}

async function codeOf(world: World, key: string, name: string): Promise<unknown> {
  const answer = await run(world, key, name)
  return 'code' in answer.body ? answer.body.code : 'ok'
}

/** Three official skills for 1, 0.5 and 0 credits, a private one for 1, and a key with this scope. */
async function worldWith(scope: JsonObject) {
  const world = makeWorld()
  const whole = await world.user('ada', { credits: 100 })
  await world.skill('sg_weather', { price: 1 })
  await world.skill('sg_stocks', { price: 0.5 })
  await world.skill('sg_free', { price: 0 })
  await world.skill('sg_notes', { price: 1, source: 'private', uid: 'ada' })
  const issued = okOf(await issueKey(world.ports, 'ada', scope))
  return { world, whole, key: `Bearer ${issued.key}`, keyId: issued.keyId }
}

describe('a key', () => {
  test.each([
    ['every tool by *', { tools: ['*'] }, ['ada_sg_notes', 'sg_free', 'sg_stocks', 'sg_weather']],
    ['the tools of its globs', { tools: ['sg_w*', '*_notes'] }, ['ada_sg_notes', 'sg_weather']],
    ['no tool by an empty list', { tools: [] }, []],
    ['tools up to its price', { maxCreditsPerCall: 0.5 }, ['sg_free', 'sg_stocks']],
    ['free tools', { maxCreditsPerCall: 0 }, ['sg_free']],
    [
      'what both members allow',
      { tools: ['sg_s*', 'sg_w*'], maxCreditsPerCall: 0.5 },
      ['sg_stocks'],
    ],
  ])('lists, finds and calls %s, and built-in tools', async (_, scope, names) => {
    const { world, key } = await worldWith(scope)
    expect(await listed(world, key)).toEqual([...names, ...BUILT_IN].sort())
    const all = ['ada_sg_notes', 'sg_free', 'sg_stocks', 'sg_weather']
    expect((await found(world, key)).filter((name) => all.includes(name))).toEqual(names)
    const callable: string[] = []
    for (const name of all) if ((await codeOf(world, key, name)) === 'ok') callable.push(name)
    expect(callable).toEqual(names)
    expect((await callMcp(world, key, 'sg_account')).isError).toBe(false)
  })

  test('sees its scope in sg_account', async () => {
    const { world, key, whole } = await worldWith({ tools: ['sg_*'], maxCreditsPerCall: 0.5 })
    const account = (authorization: string) => callMcp(world, authorization, 'sg_account')
    expect((await account(key)).structuredContent).toMatchObject({
      tools_of_key: ['sg_*'],
      credits_per_call_of_key: 0.5,
    })
    expect((await account(whole)).structuredContent).not.toHaveProperty('tools_of_key')
  })

  test('without a scope calls everything', async () => {
    const { world, whole } = await worldWith({ tools: [] })
    expect(await codeOf(world, whole, 'sg_weather')).toBe('ok')
  })

  test('does not reach a tool by another name of it', async () => {
    const { world, key } = await worldWith({ tools: ['ada_*', 'weather'] })
    const codes = ['weather', 'sg_weather', 'ada_sg_weather', 'sg_notes', 'notes']
    const answers = await Promise.all(codes.map((name) => codeOf(world, key, name)))
    expect(answers).toEqual(['key_scope', 'key_scope', 'unknown_skill', 'ok', 'ok'])
  })

  test('calls a skill by the name under which an administrator lists it', async () => {
    const { world, key } = await worldWith({ tools: ['sg_forecast'] })
    const entry = {
      name: 'sg_forecast',
      skillId: 'sg_weather',
      description: 'Forecast.',
      inputSchema: { type: 'object' },
    }
    okOf(await syncToolList(world.ports, world.settings, { mode: 'replace', tools: [entry] }))
    expect(await listed(world, key)).toContain('sg_forecast')
    expect(await codeOf(world, key, 'sg_forecast')).toBe('ok')
    expect(await codeOf(world, key, 'sg_weather')).toBe('key_scope')
  })

  test('gets no kept answer of a tool that has left its scope', async () => {
    const { world, key, keyId } = await worldWith({})
    const again = () => run(world, key, 'sg_weather', { idempotencyKey: 'k-1' })
    expect((await again()).kind).toBe('success')
    okOf(await changeKey(world.ports, { uid: 'ada', keyId }, { tools: ['sg_free'] }))
    expect(problemIn(await again()).code).toBe('key_scope')
  })
})

describe('a call outside the scope', () => {
  test('is refused with the rule, and holds no credits', async () => {
    const { world, key } = await worldWith({ tools: ['sg_free'] })
    const { answer } = await execute(world, key, 'sg_weather')
    expect(answer.body).toMatchObject({
      status: 403,
      code: 'key_scope',
      title: 'Outside the scope of this key',
      detail:
        'tools: this API key may not call sg_weather. The tool list and the search show the tools that it may call; an administrator can add this one to the key. It was not charged.',
    })
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('names both amounts if the price is over the limit', async () => {
    const { world, key } = await worldWith({ maxCreditsPerCall: 0.999999 })
    const { answer } = await execute(world, key, 'sg_weather')
    expect(answer.body).toMatchObject({
      status: 403,
      code: 'key_scope',
      detail:
        'maxCreditsPerCall: sg_weather costs 1 credits a call, and this API key may spend at most 0.999999 on one call. An administrator can raise the limit of the key. It was not charged.',
    })
  })

  test('is a result with isError over MCP and SSE', async () => {
    const { world, key } = await worldWith({ tools: [] })
    const text =
      'tools: this API key may not call sg_weather. The tool list and the search show the tools that it may call; an administrator can add this one to the key. It was not charged. Calling it again does not help: use a tool that the list or the search shows, or tell the user.'
    const result = await callMcp(world, key, 'sg_weather')
    expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text }] })
    const stream = await openStream(world, key)
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(250)
    expect(textOf(stream.withId(1)[0])).toBe(text)
  })
})

describe('a rename of the user', () => {
  test('warns of globs that stop matching private tools, and of no others', async () => {
    const { world } = await worldWith({ tools: ['ada_sg_*', '*_notes', 'sg_*'] })
    okOf(await issueKey(world.ports, 'ada', { tools: ['*_notes', 'sg_*'] }))
    const renamed = await changeUser(world.ports, world.settings, 'ada', { username: 'lady' })
    expect(okOf(renamed).warnings).toEqual([
      expect.stringMatching(
        /^tools: the key sgk_.{4} has globs that match private tools by their old names only: ada_sg_\*\. Change the globs of the key\.$/,
      ),
    ])
    const again = await changeUser(world.ports, world.settings, 'ada', { username: 'lady' })
    expect(okOf(again).warnings).toBeUndefined()
  })
})

describe('the limits of a key', () => {
  test('are set, changed and ended, and the list of keys shows them', async () => {
    const { world, keyId } = await worldWith({ tools: ['sg_*', 'sg_*'], monthlyBudget: 5 })
    const shown = async () => {
      const { keys } = okOf(
        await listKeys(world.ports, 'ada', { limit: undefined, cursor: undefined }),
      )
      return keys.find((one) => one.keyId === keyId)
    }
    expect(await shown()).toMatchObject({ tools: ['sg_*'], monthlyBudget: { limit: 5 } })
    const change = (body: JsonObject) => changeKey(world.ports, { uid: 'ada', keyId }, body)
    const changed = okOf(await change({ maxCreditsPerCall: '2.5', tools: ['a'] }))
    expect(changed).toMatchObject({ tools: ['a'], maxCreditsPerCall: 2.5 })
    expect(await shown()).toEqual(changed)
    const ended = okOf(await change({ maxCreditsPerCall: null, tools: null, monthlyBudget: null }))
    expect(Object.keys(ended)).not.toEqual(expect.arrayContaining(['tools']))
    expect(await shown()).toEqual(ended)
  })

  test('are refused with the field and the rule', async () => {
    const { world, keyId } = await worldWith({})
    const fifty = Array.from({ length: 50 }, (_, n) => `sg_${n}`)
    const faultsOf = async (body: JsonObject) =>
      refusalOf(await changeKey(world.ports, { uid: 'ada', keyId }, body)).faults
    for (const tools of [[''], ['a b'], [1], 'sg_*', ['é'], ['x'.repeat(65)], [...fifty, 'a']]) {
      expect((await faultsOf({ tools }))?.map(({ pointer }) => pointer)).toEqual(['/tools'])
    }
    for (const maxCreditsPerCall of [-1, true, 'x', 0.0000001, 100_000_001]) {
      const pointers = (await faultsOf({ maxCreditsPerCall }))?.map(({ pointer }) => pointer)
      expect(pointers).toEqual(['/maxCreditsPerCall'])
    }
    expect(await faultsOf({ tools: ['ok', 'a.b'] })).toEqual([
      {
        pointer: '/tools',
        message:
          'entry 2: must be 1 to 64 characters of A-Z, a-z, 0-9, _, - and *, such as sg_* or sg_weather',
      },
    ])
    for (const tools of [[], ['x'.repeat(64)], fifty, null]) {
      expect((await changeKey(world.ports, { uid: 'ada', keyId }, { tools })).ok).toBe(true)
    }
    expect(refusalOf(await issueKey(world.ports, 'ada', { tools: 1 })).code).toBe(
      'invalid_arguments',
    )
    const nothing = await changeKey(world.ports, { uid: 'ada', keyId }, {})
    expect(refusalOf(nothing).code).toBe('malformed')
  })

  test('that cannot be set leave no key behind', async () => {
    const { world } = await worldWith({})
    for (let n = 0; n < 20; n += 1) okOf(await issueKey(world.ports, 'ada', { monthlyBudget: 1 }))
    const before = (await world.ports.keys.list('ada')).length
    expect(refusalOf(await issueKey(world.ports, 'ada', { monthlyBudget: 1 })).code).toBe(
      'conflict',
    )
    expect(await world.ports.keys.list('ada')).toHaveLength(before)
  })
})
