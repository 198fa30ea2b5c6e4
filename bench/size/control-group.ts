/**
 * What Lambda gives a process by the memory of its function: a share of one core, and a limit past which Linux kills it. A
 * control group of Linux (version 1 or 2). Needs the right to make one (root, in most containers).
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = '/sys/fs/cgroup'
/** Of Linux's schedulers, this is the period with which quotas of Lambda have been observed. */
const PERIOD_US = 20_000
const MB = 1_048_576

export type ControlGroup = {
  /** In front of a command: it becomes the process, inside the group and from a copy that the group pays for. */
  readonly launcher: readonly string[]
  /** Of one core, 0 to 1; a new group has all of it. */
  limitCpu(share: number): void
  limitMemory(mb: number): void
  /** How many processes of it Linux has killed for want of memory. */
  kills(): number
  /** The processes must have ended. */
  close(): void
}

/** What this machine lacks to make one. */
export function lackOfControlGroups(): string | undefined {
  try {
    controlGroup(`skillgate-bench-try-${process.pid}`).close()
    return undefined
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}

/** Throws where no control group can be made. */
export function controlGroup(name: string): ControlGroup {
  const isFirst = existsSync(join(ROOT, 'cpu'))
  const cpu = join(isFirst ? join(ROOT, 'cpu') : ROOT, name)
  const memory = join(isFirst ? join(ROOT, 'memory') : ROOT, name)
  const copy = join(tmpdir(), name)
  const folders = [...new Set([cpu, memory])]
  try {
    if (!isFirst) writeFileSync(join(ROOT, 'cgroup.subtree_control'), '+cpu +memory')
    for (const folder of folders) mkdirSync(folder, { recursive: true })
    readFileSync(join(memory, isFirst ? 'memory.oom_control' : 'memory.events'))
  } catch (cause) {
    throw new Error(`${memory}: needs the right to make a control group (root on Linux)`, { cause })
  }
  const enter = folders.map((folder) => `echo $$ > ${folder}/cgroup.procs`).join(' && ')
  return {
    launcher: ['/bin/sh', '-c', `${enter} && cp "$0" ${copy} && exec ${copy} "$@"`],
    limitCpu: (share) => {
      const quota = Math.round(PERIOD_US * share)
      if (isFirst) {
        writeFileSync(join(cpu, 'cpu.cfs_period_us'), String(PERIOD_US))
        writeFileSync(join(cpu, 'cpu.cfs_quota_us'), String(quota))
      } else writeFileSync(join(cpu, 'cpu.max'), `${quota} ${PERIOD_US}`)
    },
    limitMemory: (mb) => {
      const file = isFirst ? 'memory.limit_in_bytes' : 'memory.max'
      writeFileSync(join(memory, file), String(Math.floor(mb * MB)))
      if (!isFirst) writeFileSync(join(memory, 'memory.swap.max'), '0')
    },
    kills: () => {
      const file = isFirst ? 'memory.oom_control' : 'memory.events'
      return Number(/^oom_kill (\d+)/m.exec(readFileSync(join(memory, file), 'utf8'))?.[1])
    },
    close: () => {
      for (const folder of folders) rmdirSync(folder)
      rmSync(copy, { force: true })
    },
  }
}
