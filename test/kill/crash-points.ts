/**
 * Named crash points around every write of a call: ports that kill their own process, with SIGKILL,
 * just before or just after one of them. For the test build of the twin only: nothing outside of
 * test/ imports this, and crash-points.test.ts proves that no bundle contains it.
 */
import type { TwinPorts } from '../../local/http/doors.ts'

/** In the order in which a call reaches them. Bundles are searched for these strings. */
export const CRASH_POINTS = [
  'crash-point/sessions.accept',
  'crash-point/rateCounters.count',
  'crash-point/idempotencyRecords.claim',
  'crash-point/ledger.hold',
  'crash-point/ledger.prolong',
  'crash-point/tasks.create',
  'crash-point/tasks.ask',
  'crash-point/tasks.claim',
  'crash-point/tasks.end',
  'crash-point/upstream.send',
  'crash-point/idempotencyRecords.keep',
  'crash-point/idempotencyRecords.drop',
  'crash-point/ledger.decide',
  'crash-point/ledger.release',
  'crash-point/replies.append',
  'crash-point/sweepEntries.writeCursor',
] as const

export type CrashPoint = (typeof CRASH_POINTS)[number] extends `crash-point/${infer Name}`
  ? Name
  : never

export type Kill = `${'before' | 'after'} ${CrashPoint}`

/** The armed point: the process dies when it reaches `kill` for the `nth` time from then on. */
export type Fuse = { readonly kill: Kill; readonly nth: number }

export type CrashFuse = { fuse: { readonly kill: string; left: number } | undefined }

/** The same ports with crash points around their writes. Unarmed points do nothing. */
export function crashing(ports: TwinPorts, armed: CrashFuse): TwinPorts {
  return {
    ...ports,
    idempotencyRecords: watched('idempotencyRecords', ports.idempotencyRecords, armed),
    ledger: watched('ledger', ports.ledger, armed),
    rateCounters: watched('rateCounters', ports.rateCounters, armed),
    replies: watched('replies', ports.replies, armed),
    sessions: watched('sessions', ports.sessions, armed),
    sweepEntries: watched('sweepEntries', ports.sweepEntries, armed),
    tasks: watched('tasks', ports.tasks, armed),
    upstream: watched('upstream', ports.upstream, armed),
  }
}

const NAMES: ReadonlySet<string> = new Set(CRASH_POINTS)

function watched<T extends object>(name: string, port: T, armed: CrashFuse): T {
  return new Proxy(port, {
    get: (target, key) => {
      const method: unknown = Reflect.get(target, key)
      const point = `${name}.${String(key)}`
      if (typeof method !== 'function' || !NAMES.has(`crash-point/${point}`)) return method
      return async (...args: unknown[]) => {
        reach(`before ${point}`, armed)
        const answer: unknown = await Reflect.apply(method, target, args)
        reach(`after ${point}`, armed)
        return answer
      }
    },
  })
}

/** Does not return from the armed point: the kernel ends the process in the call. */
function reach(kill: string, { fuse }: CrashFuse): void {
  if (fuse === undefined || fuse.kill !== kill) return
  fuse.left -= 1
  if (fuse.left === 0) process.kill(process.pid, 'SIGKILL')
}
