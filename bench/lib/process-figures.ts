/** Reads CPU time and memory of a process, as Linux reports them. */
import { readFileSync } from 'node:fs'

/** The length of a tick. USER_HZ is 100 on every Linux on which Node runs. */
const TICK_MS = 10

/** Returns the user and system time so far, of all threads. */
export function readCpuMs(pid: number): number {
  // The fields after the name, which may have spaces: state, parent, …, utime (14th), stime (15th).
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** Returns the resident memory in MB: `VmRSS` is now, `VmHWM` the largest since the last reset. */
export function readResidentMb(pid: number, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1_024
}
