/**
 * A day of a gateway in a few seconds: users, keys, secrets, skills, calls that succeed and calls
 * that fail, from both doors. Records every answer; checks nothing itself.
 */
import { readJsonObject } from './fields.ts'
import { bearer } from './http.ts'
import type { RawSession } from './raw-session.ts'
import type { ScanCanaries } from './scan-canaries.ts'
import { skillsAt } from './scan-skills.ts'
import { type ScanWorld, scanWorld } from './scan-world.ts'
import type { Canary } from './scanner.ts'
import type { Twin } from './twin.ts'

type Setting = {
  readonly twin: Twin
  readonly world: ScanWorld
  readonly canaries: ScanCanaries
  /** Names of the tools that are called with an argument. */
  readonly tools: readonly string[]
  readonly ada: Canary
}

export async function liveThrough(
  twin: Twin,
  mirror: string,
  canaries: ScanCanaries,
): Promise<Pick<ScanWorld, 'heard' | 'made'>> {
  const world = scanWorld(twin)
  const skills = skillsAt(mirror, canaries.planted.text)
  await makeUsers(world, canaries)
  for (const skill of skills) await world.admin('POST', 'sync_skill', skill)
  // A secret for one skill needs that skill.
  await setSecrets(world, canaries, mirror)
  const own = { ...skills[0], id: 'mine', source: 'private' }
  await world.admin('POST', 'sync_skill?uid=ada', own)
  const ada = await world.issueKey('ada', 'key of ada')
  const tools = [...skills.map(({ id }) => id), 'ada_sg_mine']
  const setting = { twin, world, canaries, tools, ada }
  await callByRest(setting)
  await callWithOtherKeys(setting)
  await sendBadRequests(setting)
  await callByStream(setting)
  await runDry(setting)
  for (const path of ['ada', 'ada/ledger', 'ada/keys', 'ada/secrets', 'bob']) {
    await world.admin('GET', `users/${path}`)
  }
  await world.admin('GET', 'secrets')
  return world
}

async function makeUsers(world: ScanWorld, canaries: ScanCanaries): Promise<void> {
  const { planted } = canaries
  await world.admin('POST', 'users', { username: 'ada', uid: 'ada', credits: 1_000 })
  const username = planted.username.value
  await world.admin('POST', 'users', { username, uid: 'bob', credits: 1_000 })
}

async function setSecrets(world: ScanWorld, canaries: ScanCanaries, mirror: string): Promise<void> {
  const { secrets, unused } = canaries
  for (const { name, skill, uid, value } of secrets) {
    const query = skill === undefined ? '' : `?skill=${skill}`
    await world.admin('PUT', `users/${uid}/secrets/${name}${query}`, { value: value.value })
  }
  const { forAll, previous, value } = canaries.shared
  const rotated = 'secrets/SHARED_KEY?skill=sg_rotated'
  await world.admin('PUT', rotated, { value: previous.value })
  await world.admin('PUT', rotated, { value: value.value, keepPreviousSec: 3_600 })
  const all = { value: forAll.value, origins: [new URL(mirror).origin] }
  await world.admin('PUT', 'secrets/SHARED_KEY', all)
  await world.admin('PUT', 'secrets/KEY', { value: unused.value })
  await world.admin('PUT', 'users/ada/secrets/KEY', { value: unused.value, more: unused.value })
  await world.admin('PUT', 'users/ada/secrets/KEY', { value: unused.value.repeat(200) })
  await world.admin('PUT', 'users/nobody/secrets/KEY', { value: unused.value })
  await world.admin('DELETE', 'users/bob/secrets/Q_SECRET')
}

async function callByRest({ ada, canaries, tools, world }: Setting): Promise<void> {
  const { args, idempotency } = canaries
  for (const skill of tools) await world.call(ada, { skill, note: args.rest })
  const once = { skill: 'sg_all', idempotencyKey: idempotency.value }
  await world.call(ada, { ...once, note: args.rest })
  await world.call(ada, { ...once, note: args.rest })
  await world.call(ada, { ...once, note: args.otherBody })
  const failing = { skill: 'sg_fails', idempotencyKey: `${idempotency.value}-2` }
  await world.call(ada, { ...failing, note: args.rest })
  await world.call(ada, { ...failing, note: args.rest })
  await world.call(ada, { skill: 'sg_nothing', note: args.unsent })
}

/** Of each skill, without sending and with it; the upstreams echo what they get. */
async function runDry({ tools, world }: Setting): Promise<void> {
  const body = { uid: 'ada', arguments: {} }
  for (const tool of tools) {
    const isOwn = tool === 'ada_sg_mine'
    const place = isOwn ? 'private/sg_mine/dry-run?uid=ada' : `official/${tool}/dry-run`
    await world.admin('POST', `skills/${place}`, isOwn ? {} : body)
  }
  for (const tool of ['sg_all', 'sg_fails', 'sg_spelled', 'sg_oauth', 'sg_signed', 'sg_shared']) {
    await world.admin('POST', `skills/official/${tool}/dry-run?send=true`, body)
  }
}

async function callWithOtherKeys({ canaries, world }: Setting): Promise<void> {
  const { args, stranger } = canaries
  const bob = await world.issueKey('bob', 'key of bob')
  await world.call(bob, { skill: 'sg_spelled', note: args.rest })
  await world.call(bob, { skill: 'sg_all', note: args.unsent })
  await world.call(stranger, { skill: 'sg_all', note: args.unsent })
  const revoked = await world.issueKey('ada', 'revoked key of ada')
  await world.call(revoked, { skill: 'sg_page', note: args.rest })
  await world.admin('DELETE', `users/ada/keys/${revoked.id}`)
  await world.call(revoked, { skill: 'sg_page', note: args.rest })
}

async function sendBadRequests({ ada, canaries, twin, world }: Setting): Promise<void> {
  const { args, stranger } = canaries
  const { value } = args.bad
  const method = 'POST'
  const headers = { 'content-type': 'application/json', ...bearer(ada.value) }
  const bodies = [
    `{"skill":"sg_strict","arguments":{"count":"${value}","kind":"${value}","more":"${value}"}}`,
    `{"skill":"sg_all","arguments":{"note":"${value}"}`,
    `{"skill":"sg_all","arguments":"${value}"}`,
    `{"skill":"sg_all","arguments":{"note":["${value}"]}}`,
  ]
  for (const body of bodies) {
    await world.ask('a bad call', twin.execute, { method, headers, body })
  }
  const refresh = `${twin.admin}/refresh-tools`
  await world.ask('a wrong secret', refresh, { method, headers: bearer(stranger.value) })
  const basic = { authorization: `Basic ${stranger.value}` }
  await world.ask('a wrong scheme', twin.execute, { method, headers: basic, body: '{}' })
}

async function callByStream({ ada, canaries, tools, world }: Setting): Promise<void> {
  const { args, noSession } = canaries
  const session = await world.openSession('session of ada', ada)
  const anonymous = await world.openSession('anonymous session', undefined)
  const clientInfo = { name: 'scan', version: '1' }
  await answered(session, 'initialize', {
    protocolVersion: '2024-11-05',
    capabilities: {},
    clientInfo,
  })
  await answered(session, 'tools/list', {})
  for (const name of tools) {
    await answered(session, 'tools/call', { name, arguments: { note: args.stream.value } })
  }
  const bad = args.bad.value
  await answered(session, 'tools/call', { name: 'sg_strict', arguments: { count: bad, more: bad } })
  await answered(session, 'tools/call', { name: 'sg_usage', arguments: {} })
  const unsent = { name: 'sg_all', arguments: { note: args.unsent.value } }
  await answered(anonymous, 'tools/call', unsent)
  const hanging = { name: 'sg_hangs', arguments: { note: args.stream.value } }
  const requestId = await posted(session, 'tools/call', hanging)
  const cancelled = { method: 'notifications/cancelled', params: { requestId } }
  await session.post(JSON.stringify({ jsonrpc: '2.0', ...cancelled }))
  for (const body of [`{"jsonrpc":"2.0","id":1,"params":{"${bad}`, `{"params":"${bad}"}`]) {
    await world.ask('a bad message', session.postUrl, { method: 'POST', body })
  }
  const nowhere = session.postUrl.replace(/session_id=.*/, `session_id=${noSession.value}`)
  await world.ask('a message to no session', nowhere, { method: 'POST', body: '{}' })
  await answered(session, 'ping', {})
  // The endpoint event tells a session its own id.
  world.hearOut(session, ['session of ada', args.stream.name])
  world.hearOut(anonymous, ['anonymous session'])
}

let ids = 0

async function posted(on: RawSession, method: string, params: object): Promise<number> {
  ids += 1
  const id = ids
  await on.post(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  return id
}

async function answered(on: RawSession, method: string, params: object): Promise<void> {
  const id = await posted(on, method, params)
  await on.message((data) => readJsonObject(data)['id'] === id)
}
