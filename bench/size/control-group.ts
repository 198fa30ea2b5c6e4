/**
 * A memory limit past which Linux kills a process, as Lambda does: a control group of Linux
 * (version 1 or 2). Needs the right to create one (root, in most containers).
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = '/sys/fs/cgroup'
const MB = 1_048_576

export type ControlGroup = {
  /**
   * Words before a command: the command becomes the process, inside the group and from a copy whose
   * memory belongs to the group.
   */
  readonly launcher: readonly string[]
  /** Returns how many processes of the group Linux has killed for lack of memory. */
  kills(): number
  /** Removes the group; its processes must have ended. */
  close(): void
}

/** Creates a group. Throws an Error if that is not possible. */
export function createControlGroup(name: string, memoryMb: number): ControlGroup {
  const isFirst = existsSync(join(ROOT, 'memory'))
  const folder = join(ROOT, isFirst ? 'memory' : '', name)
  const copy = join(tmpdir(), name)
  const events = join(folder, isFirst ? 'memory.oom_control' : 'memory.events')
  const limit = join(folder, isFirst ? 'memory.limit_in_bytes' : 'memory.max')
  try {
    if (!isFirst) writeFileSync(join(ROOT, 'cgroup.subtree_control'), '+memory')
    mkdirSync(folder, { recursive: true })
    readFileSync(events)
    writeFileSync(limit, String(Math.floor(memoryMb * MB)))
    if (!isFirst) writeFileSync(join(folder, 'memory.swap.max'), '0')
  } catch (cause) {
    throw new Error(`${folder}: needs the right to make a control group (root on Linux)`, { cause })
  }
  const enter = `echo $$ > ${folder}/cgroup.procs`
  return {
    launcher: ['/bin/sh', '-c', `${enter} && cp "$0" ${copy} && exec ${copy} "$@"`],
    kills: () => Number(/^oom_kill (\d+)/m.exec(readFileSync(events, 'utf8'))?.[1]),
    close: () => {
      rmdirSync(folder)
      rmSync(copy, { force: true })
    },
  }
}
