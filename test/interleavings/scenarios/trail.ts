/**
 * Administrators append to the trail of changes from several processes, and make, use and revoke keys of
 * their own: each answered record is in its place, once, and the chain is whole; no two keys have one
 * name, and a revoked key never comes back.
 */
import { findChainBreaks } from '../../../core/audit/chain.ts'
import { createAuditAppender } from '../../../core/flow/audit/append-audit.ts'
import { createAdminKey, revokeAdminKey } from '../../../core/flow/audit/manage-admin-keys.ts'
import { toUtcDay } from '../../../core/json/utc-time.ts'
import { flowPorts } from '../outside.ts'
import type { Scenario } from '../scenario.ts'
import { itemsIn, type Process, plan, quietly, report, START_MS, type World } from '../world.ts'

const DAY = toUtcDay(START_MS)
const NAMES = ['ada', 'grace']
const NEVER = { expiresAtMs: undefined, lastUsedDay: undefined }
const ADMIN = { kind: 'key', name: 'root', role: 'owner', keyId: 'k', ...NEVER } as const

type TrailNotes = {
  /** Hashes of the records that were answered, by their numbers. */
  readonly records: Map<number, string>
  readonly revoked: Set<string>
  readonly appenders: Map<Process, ReturnType<typeof createAuditAppender>>
}

export const trail: Scenario = {
  name: 'trail',
  async start(world) {
    const { random } = world
    const kept: TrailNotes = { records: new Map(), revoked: new Set(), appenders: new Map() }
    for (let admins = 2 + random.below(4); admins > 0; admins -= 1) {
      plan(world, 'an administrator', (process) => administrate(world, kept, process))
    }
    world.check = () => checkNames(world)
    return () => quietly(world, (_, process) => checkEnd(world, kept, process))
  },
}

async function administrate(world: World, kept: TrailNotes, process: Process): Promise<void> {
  const { random } = world
  const ports = flowPorts(process)
  // Two keys of one name may not be made by one token: tokens here come from the seed.
  const ids = { token: () => String(random.below(2 ** 30)).padStart(43, 'x') }
  const appender = kept.appenders.get(process) ?? createAuditAppender(ports)
  kept.appenders.set(process, appender)
  const content = contentOf(process.clock.nowMs())
  const intent = await appender.append(content)
  note(world, kept, intent)
  const body = { name: random.pick(NAMES), role: 'viewer' }
  const made = await createAdminKey({ ...ports, ids }, ADMIN, body)
  if (made.ok) {
    const { keyId } = made.value
    if (random.chance(0.5)) await ports.adminKeys.noteUse({ keyId, day: DAY })
    if (random.chance(0.7) && (await revokeAdminKey(ports, keyId)).ok) kept.revoked.add(keyId)
    if (random.chance(0.5)) await ports.adminKeys.noteUse({ keyId, day: '2999-01-01' })
  }
  const outcome = { kind: 'outcome', atMs: process.clock.nowMs(), status: 200, target: {} } as const
  note(world, kept, await appender.append(outcome, intent))
}

function contentOf(atMs: number) {
  const request = { operation: 'x', method: 'POST', route: '/x', requestId: 'r' }
  const none = { target: {}, sent: {}, digestKey: 'd', sourceAddress: '192.0.2.1' }
  const who = { name: ADMIN.name, role: ADMIN.role }
  return { kind: 'intent', atMs, who, ...request, ...none } as const
}

function note(
  world: World,
  { records }: TrailNotes,
  { hash, seq }: { readonly hash: string; readonly seq: number },
): void {
  if (records.has(seq)) report(world, `number ${seq} of the trail was given twice`)
  records.set(seq, hash)
}

/** A name is claimed for exactly the key that has it. */
function checkNames(world: World): void {
  if (world.violations.length > 0) return
  const keys = itemsIn(world, 'gateway', 'admin_keys')
  const names = itemsIn(world, 'gateway', 'admin_key_names')
  if (keys.length !== names.length) report(world, `${keys.length} keys have ${names.length} names`)
  if (keys.some((key) => typeof key['name'] !== 'string')) report(world, 'a key has no name')
  if (new Set(keys.map((key) => key['name'])).size < keys.length) {
    report(world, 'two keys have one name')
  }
}

async function checkEnd(world: World, kept: TrailNotes, process: Process): Promise<void> {
  const { auditTrail, digests } = flowPorts(process)
  const records = await auditTrail.day(DAY)
  const faults = findChainBreaks(digests, records, await auditTrail.head(DAY))
  if (faults.length > 0) report(world, `the chain has faults: ${JSON.stringify(faults)}`)
  for (const [seq, hash] of kept.records) {
    if (records[seq - 1]?.hash !== hash) report(world, `record ${seq} was answered and is gone`)
  }
  const left = await process.ports.adminKeys.list()
  const back = left.find(({ keyId }) => kept.revoked.has(keyId))
  if (back !== undefined) report(world, 'a revoked key of an administrator is back')
}
