/** Limits of upstreams: each at the limit and one past it. */
import { describe, expect, test } from 'vitest'
import { refreshUpstreams } from '../../../../core/flow/upstreams/refresh-due.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import type { McpUpstream } from '../../../../core/skills/upstreams/upstream.ts'
import { toolOf } from './tool-server.ts'
import { makeUpstreamWorld, register, show, type UpstreamWorld } from './upstream-world.ts'

const READ = toolOf('read_file')

/** Stores `count` more upstreams like the one that is registered. */
async function storeMore({ ports }: UpstreamWorld, count: number): Promise<McpUpstream[]> {
  const like = await ports.mcpUpstreams.get('files')
  if (like === undefined) throw new Error('no record')
  const more = Array.from({ length: count }, (_, at) => ({ ...like, id: `more-${at}`, version: 1 }))
  for (const one of more) expect(await ports.mcpUpstreams.put(one, 0)).toBe(true)
  return more
}

describe('upstreams', () => {
  test('are at most 100', async () => {
    const world = await makeUpstreamWorld([READ])
    await register(world)
    await storeMore(world, 98)

    expect((await register(world, { prefix: 'last' }, 'last')).status).toBe(200)
    const past = await register(world, { prefix: 'past' }, 'past')
    expect(past.status).toBe(409)
    expect(past.json['detail']).toContain('There are 100 upstreams')
    expect((await register(world)).status).toBe(200)
  })

  test('are refreshed up to 20 in one run of the sweep', async () => {
    const world = await makeUpstreamWorld([READ])
    await register(world)
    const due = await storeMore(world, 21)
    const { ports, settings } = world
    const untilMs = world.clock.nowMs() + 60_000

    expect(await refreshUpstreams(ports, settings, due.slice(0, 20), untilMs)).toBe(20)
    expect(await refreshUpstreams(ports, settings, due, untilMs)).toBe(20)
  })

  test.each([
    { title: 'an id of 40 characters', id: `a${'b'.repeat(39)}`, more: {}, status: 200 },
    { title: 'an id of 41 characters', id: `a${'b'.repeat(40)}`, more: {}, status: 400 },
    { title: '50 globs', id: 'a', more: { exclude: globs(50, 1) }, status: 200 },
    { title: '51 globs', id: 'a', more: { exclude: globs(51, 1) }, status: 422 },
    { title: 'a glob of 128 characters', id: 'a', more: { exclude: globs(1, 128) }, status: 200 },
    { title: 'a glob of 129 characters', id: 'a', more: { exclude: globs(1, 129) }, status: 422 },
  ])('with $title are answered with $status', async ({ id, more, status }) => {
    const world = await makeUpstreamWorld([READ])

    expect((await register(world, more, id)).status).toBe(status)
  })

  test('leave out a tool of over 200,000 bytes by this limit', async () => {
    const world = await makeUpstreamWorld([
      READ,
      longTool('at', 200_000),
      longTool('past', 200_001),
    ])

    expect((await register(world)).json).toMatchObject({ added: ['sg_files_read_file'] })
    const faults = async (tool: string) =>
      JSON.stringify((await show(world, `tool=${tool}`))['tools'])
    const fault = /It has \d+ bytes, and a tool may have 200000/
    expect(await faults('past')).toMatch(fault)
    expect(await faults('at')).not.toMatch(fault)
  })
})

function globs(count: number, chars: number): string[] {
  return Array.from({ length: count }, () => 'z'.repeat(chars))
}

/** A tool whose entry has so many bytes as JSON, by members that no skill keeps. */
function longTool(name: string, bytes: number): JsonObject {
  const rest = { annotations: { pad: '' } }
  const pad = bytes - Buffer.byteLength(JSON.stringify(toolOf(name, rest)))
  return toolOf(name, { annotations: { pad: 'x'.repeat(pad) } })
}
