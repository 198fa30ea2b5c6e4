/** CPU time and memory of a process, as Linux reports them. */
import { readdirSync, readFileSync } from 'node:fs'

/** USER_HZ, which is 100 on every Linux that Node runs on. */
const TICK_MS = 10

export function treeCpuMs(pid: number): number {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? statOf(name) : []))
  const below = (parent: number): number =>
    all
      .filter((one) => one.parent === parent)
      .reduce((sum, one) => sum + one.cpuMs + below(one.pid), 0)
  return (all.find((one) => one.pid === pid)?.cpuMs ?? 0) + below(pid)
}

/** Memory of one process, as Linux reports it. */
export function residentKb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
}

type Stat = { readonly pid: number; readonly parent: number; readonly cpuMs: number }

/** A process that ends meanwhile is left out. */
function statOf(pid: string): readonly Stat[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // After the name, which may hold spaces: state, parent, …, utime (14th), stime (15th).
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [parent, user, system] = [fields[1], fields[11], fields[12]].map(Number)
    const cpuMs = ((user ?? 0) + (system ?? 0)) * TICK_MS
    return [{ pid: Number(pid), parent: parent ?? 0, cpuMs }]
  } catch {
    return []
  }
}
