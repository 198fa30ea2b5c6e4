/** A listen stream and its lease: it leaves in time by its own clock, whatever hangs. */

import { describe, expect, test } from 'vitest'
import { credentialOf } from '../../../../bench/lib/credential.ts'
import { openListen } from '../../../../core/flow/streamable-http/open-listen.ts'
import { runListen } from '../../../../core/flow/streamable-http/run-listen.ts'
import { makeListWatch } from '../../../../core/flow/tools/tool-list-watch.ts'
import type { Work } from '../../../../core/mcp/classified.ts'
import { REVISION_2026_07_28 } from '../../../../core/mcp/rev2026-07-28/revision.ts'
import { makeWorld, okOf, type World } from '../world.ts'

const WORK: Work = {
  kind: 'request',
  revision: REVISION_2026_07_28,
  id: '7',
  method: 'subscriptions/listen',
  intent: { kind: 'listen', toolsListChanged: true },
}
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'
const CHANGED = 'notifications/tools/list_changed'

/** `reads`: false for a client that never reads. */
async function listening(world: World, { reads = true }: { reads?: boolean } = {}) {
  const credential = credentialOf(await world.user('ada'))
  const opened = okOf(await openListen(world.ports, world.settings, { credential }))
  const blocks: string[] = []
  let why: string | undefined
  const outlet = {
    write: (block: string) => {
      blocks.push(block)
      return reads ? Promise.resolve() : new Promise<never>(() => {})
    },
    closed: new AbortController().signal,
    deadlineMs: undefined,
  }
  const listen = { opened, outlet, work: WORK, watch: makeListWatch() }
  void runListen(world.ports, world.settings, listen).then((reason) => {
    why = reason
  })
  await world.clock.settle()
  return {
    why: () => why,
    has: (text: string) => blocks.some((block) => block.includes(text)),
    leases: () => world.ports.leases.list(world.clock.nowMs()),
  }
}

function withRenewal(world: World, renew: World['ports']['leases']['renew']) {
  world.ports.leases = { ...world.ports.leases, renew }
}

const never = () => new Promise<never>(() => {})

describe('the lease of a listen stream', () => {
  test('a listen stream leaves 5 s before its lease runs out, also between two of its looks', async () => {
    const world = makeWorld()
    withRenewal(world, never)
    const { recent } = world.ports.toolListVersion
    world.ports.toolListVersion.recent = async () => {
      if (world.clock.nowMs() % 1_000 === 0) await world.clock.sleep(300)
      return recent()
    }
    const stream = await listening(world)
    await world.clock.advance(69_999)
    expect(stream.why()).toBeUndefined()
    await world.clock.advance(1)
    expect(stream.why()).toBe('lease-lapsed')
    expect(await stream.leases()).toEqual([])
  })

  test('a listen stream that should have left is not kept by a renewal that is answered now', async () => {
    const world = makeWorld()
    const answer = Promise.withResolvers<boolean>()
    withRenewal(world, () => answer.promise)
    const stream = await listening(world)
    await world.clock.advance(30_000)
    world.clock.jump(40_000)
    answer.resolve(true)
    await world.clock.settle()
    expect(stream.why()).toBe('lease-lapsed')
  })

  test('a listen stream is kept by a renewal that is answered a moment before it must leave', async () => {
    const world = makeWorld()
    const answer = Promise.withResolvers<boolean>()
    withRenewal(world, () => answer.promise)
    const stream = await listening(world)
    await world.clock.advance(30_000)
    world.clock.jump(39_999)
    answer.resolve(true)
    await world.clock.advance(10_000)
    expect(stream.why()).toBeUndefined()
  })

  test('a listen stream that lost its place goes, even if an older renewal is answered after that', async () => {
    const world = makeWorld()
    const answerIn = (ms: number, stands: boolean) => world.clock.sleep(ms).then(() => stands)
    const answers = [() => answerIn(30_200, true), () => answerIn(100, false)]
    withRenewal(world, () => answers.shift()?.() ?? never())
    const stream = await listening(world)
    await world.clock.advance(61_000)
    expect(stream.why()).toBe('ended-elsewhere')
  })

  test('a listen stream whose first look outlasts its lease is never acknowledged', async () => {
    const world = makeWorld()
    const look = Promise.withResolvers<number>()
    world.ports.toolListVersion.recent = () => look.promise
    const stream = await listening(world)
    await world.clock.advance(70_000)
    look.resolve(1)
    await world.clock.settle()
    expect([stream.why(), stream.has(ACKNOWLEDGED)]).toEqual(['lease-lapsed', false])
  })

  test('a client that does not read keeps no place', async () => {
    const world = makeWorld()
    withRenewal(world, never)
    const stream = await listening(world, { reads: false })
    await world.clock.advance(70_000)
    expect(stream.why()).toBe('lease-lapsed')
    expect(await stream.leases()).toEqual([])
  })

  test('a look that ends after its stream writes nothing', async () => {
    const world = makeWorld()
    withRenewal(world, never)
    const stream = await listening(world)
    await world.clock.advance(68_500)
    const look = Promise.withResolvers<number>()
    world.ports.toolListVersion.recent = () => look.promise
    await world.clock.advance(1_500)
    expect(stream.why()).toBe('lease-lapsed')
    look.resolve(world.clock.nowMs())
    await world.clock.settle()
    expect(stream.has(CHANGED)).toBe(false)
  })
})
