/**
 * The test build of the twin, run as a process of its own: the same start as `npm start`, with a
 * clock that runs ahead and ports that crash where the test says. Obeys its parent over IPC, one
 * order at a time, and ends when the parent does.
 */
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { sweepHolds } from '../../core/flow/execute/sweep-holds.ts'
import type { TwinPorts } from '../../local/http/doors.ts'
import { DEFAULT_OPTIONS } from '../../local/settings/option-table.ts'
import { startTwin } from '../../local/start-twin.ts'
import { type CrashFuse, crashing } from './crash-points.ts'
import type { Order, Setup } from './orders.ts'

process.once('disconnect', () => process.exit(0))

const setup: Setup = JSON.parse(process.argv[2] ?? '')
const armed: CrashFuse = { fuse: undefined }
let ports: TwinPorts | undefined

const real = systemClock()
const twin = await startTwin(
  {
    ...DEFAULT_OPTIONS,
    port: 0,
    data: setup.folder,
    outboundAllow: [setup.upstream],
    json: true,
  },
  { call: () => {}, note: (line) => process.stderr.write(`${line}\n`) },
  {
    clock: { ...real, nowMs: () => real.nowMs() + setup.aheadMs },
    wrapPorts: (all) => {
      ports = crashing(all, armed)
      return ports
    },
  },
)
process.on('message', (order: Order) => {
  void obey(order).then((answer) => process.send?.(answer))
})
process.send?.({ origin: twin.origin, internalApiSecret: twin.credentials.internalApiSecret })

async function obey(order: Order): Promise<object> {
  if (ports === undefined) throw new Error('no ports')
  switch (order.kind) {
    case 'arm':
      armed.fuse = { kill: order.kill, left: order.nth }
      return {}
    case 'sweep':
      return sweepHolds({ ...ports, jobVisits: { visit: async () => ({ kind: 'none' }) } })
    case 'books': {
      const profile = await ports.profiles.read(order.uid)
      const { outcomes } = await ports.ledger.list({ uid: order.uid, limit: 100 })
      return { credits: profile?.credits, holds: Object.values(profile?.holds ?? {}), outcomes }
    }
    default:
      return order satisfies never
  }
}
