/**
 * A share of one core for a process, as Lambda gives it by memory: a control group of Linux (version 1 or 2) with a
 * quota in each period. Needs the right to make one (root, in most containers).
 */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Of Linux's schedulers, this is the period with which quotas of Lambda have been observed. */
const PERIOD_US = 20_000

export type CpuShare = {
  add(pid: number): void
  /** The processes must have ended. */
  close(): void
}

/** `share` of one core, 0 to 1. Throws where no control group can be made. */
export function cpuShare(name: string, share: number): CpuShare {
  const quota = Math.round(PERIOD_US * share)
  const isFirst = existsSync('/sys/fs/cgroup/cpu')
  const folder = join(isFirst ? '/sys/fs/cgroup/cpu' : '/sys/fs/cgroup', name)
  try {
    mkdirSync(folder, { recursive: true })
    if (isFirst) {
      writeFileSync(join(folder, 'cpu.cfs_period_us'), String(PERIOD_US))
      writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quota))
    } else {
      writeFileSync(join(folder, 'cpu.max'), `${quota} ${PERIOD_US}`)
    }
  } catch (cause) {
    throw new Error(`${folder}: needs the right to make a control group (root on Linux)`, { cause })
  }
  return {
    add: (pid) => writeFileSync(join(folder, 'cgroup.procs'), String(pid)),
    close: () => rmdirSync(folder),
  }
}
