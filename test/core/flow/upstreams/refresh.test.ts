/** Refreshes by schedule and by hand: when they run, what a failure leaves, and what races do. */
import { describe, expect, test } from 'vitest'
import { refreshUpstreams } from '../../../../core/flow/upstreams/refresh-due.ts'
import { findDue } from '../../../../core/skills/upstreams/due.ts'
import { createSweepDoor } from '../../../../lambdas/sweep/door.ts'
import { askAdmin } from '../../../lambdas/admin/admin-client.ts'
import { toolOf } from './tool-server.ts'
import {
  call,
  listedNames,
  makeUpstreamWorld,
  refresh,
  register,
  show,
  type UpstreamWorld,
} from './upstream-world.ts'

const READ = toolOf('read_file')
const WRITE = toolOf('write_file')
const MINUTE_MS = 60_000

/** One run of the sweep, as each minute. */
function sweep({ ports, settings }: UpstreamWorld) {
  return createSweepDoor(ports, undefined, {
    mcpUpstreams: ports.mcpUpstreams,
    refresh: (due, untilMs) => refreshUpstreams(ports, settings, due, untilMs),
  })()
}

describe('the sweep', () => {
  test('refreshes an upstream after its interval and a part of an eighth, and not before', async () => {
    const world = await makeUpstreamWorld([READ])
    await register(world, { pins: 'trust', refresh_minutes: 60 })
    world.server.tools = [READ, WRITE]
    await world.clock.advance(59 * MINUTE_MS)
    await sweep(world)
    expect(await listedNames(world)).toEqual(['sg_files_read_file'])
    await world.clock.advance(8.5 * MINUTE_MS)
    await sweep(world)
    expect(await listedNames(world)).toEqual(['sg_files_read_file', 'sg_files_write_file'])
    const skill = await world.ports.skills.get({
      source: 'official',
      skillId: 'sg_files_write_file',
    })
    expect(skill).toMatchObject({ by: 'refresh', origin: 'import' })
  })

  test('leaves an upstream without an interval alone', async () => {
    const world = await makeUpstreamWorld([READ])
    await register(world, { refresh_minutes: 0 })
    await world.clock.advance(100_000 * MINUTE_MS)
    world.server.asked.length = 0
    await sweep(world)
    expect(world.server.asked).toEqual([])
  })

  test('makes an upstream stale after three failures, and its tools stay listed', async () => {
    const world = await makeUpstreamWorld([READ])
    const ada = await world.user('ada')
    await register(world)
    world.server.down = 500
    for (let failures = 1; failures <= 3; failures += 1) {
      expect(await show(world)).toMatchObject({ state: 'ok' })
      await world.clock.advance(70 * MINUTE_MS)
      await sweep(world)
      expect(await show(world)).toMatchObject({ failures })
    }
    expect(await show(world)).toMatchObject({ state: 'stale' })
    expect(await listedNames(world)).toEqual(['sg_files_read_file'])
    expect(world.log.notes.filter(({ event }) => event === 'upstream-stale')).toHaveLength(1)
    world.server.down = undefined
    await world.clock.advance(MINUTE_MS)
    expect((await call(world, ada, 'sg_files_read_file')).status).toBe(200)
    expect((await refresh(world)).status).toBe(200)
    expect(await show(world)).toMatchObject({ state: 'ok', failures: 0 })
  })
})

describe('work on one upstream', () => {
  test('is refused while another has the lease, and goes on once the lease is over', async () => {
    const world = await makeUpstreamWorld([READ])
    await register(world)
    const record = await world.ports.mcpUpstreams.get('files')
    if (record === undefined) throw new Error('no record')
    const untilMs = world.clock.nowMs() + 120_000
    const leased = { ...record, version: record.version + 1, lease: { token: 't', untilMs } }
    await world.ports.mcpUpstreams.put(leased, record.version)
    expect(await refresh(world)).toMatchObject({ status: 409, json: { retryAfterSec: 5 } })
    expect((await register(world)).status).toBe(409)
    expect((await askAdmin(world, 'DELETE', '/upstreams/files')).status).toBe(409)
    expect(findDue([{ ...leased, nextRefreshAtMs: 0 }], world.clock.nowMs())).toEqual([])
    await world.clock.advance(120_000)
    expect((await refresh(world)).status).toBe(200)
  })

  test('is done once when 5 refreshes come at once', async () => {
    const world = await makeUpstreamWorld([READ])
    await register(world, { pins: 'trust' })
    world.server.tools = [toolOf('read_file', { description: 'Other.' })]
    const all = await Promise.all(Array.from({ length: 5 }, () => refresh(world)))
    const statuses = all.map(({ status }) => status)
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true)
    expect(statuses).toContain(200)
    const key = { source: 'official', skillId: 'sg_files_read_file' } as const
    expect((await world.ports.skills.get(key))?.version).toBe(2)
  })

  test('that died within a registration is completed by the same request, and by no refresh', async () => {
    const world = await makeUpstreamWorld([READ])
    const { put } = world.ports.skills
    world.ports.skills.put = () => Promise.reject(new Error('the process died'))
    expect((await register(world)).status).toBe(500)
    world.ports.skills.put = put
    expect((await refresh(world)).json['detail']).toContain('was not completed')
    expect((await register(world)).json).toMatchObject({ added: ['sg_files_read_file'] })
  })

  test('that died within a deletion is completed by the same request alone', async () => {
    const world = await makeUpstreamWorld([READ])
    await register(world)
    const { remove } = world.ports.skills
    world.ports.skills.remove = () => Promise.reject(new Error('the process died'))
    expect((await askAdmin(world, 'DELETE', '/upstreams/files')).status).toBe(500)
    world.ports.skills.remove = remove
    expect(await show(world)).toMatchObject({ state: 'deleting' })
    expect((await refresh(world)).status).toBe(409)
    expect((await register(world)).status).toBe(409)
    expect((await askAdmin(world, 'DELETE', '/upstreams/files')).status).toBe(204)
    expect(await listedNames(world)).toEqual([])
  })
})
