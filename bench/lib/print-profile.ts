/**
 * A CPU profile of V8 as two tables: self time by room of the tree, and by function. The sampler
 * looks at the clock, so on a busy machine its shares are right and its sum is not: the shares are
 * of the CPU time that the process was charged with.
 */
import { readFileSync } from 'node:fs'
import { printTable } from './figures.ts'

type Frame = { readonly functionName: string; readonly url: string; readonly lineNumber: number }
type Profile = {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const FUNCTIONS_SHOWN = 45
/** Smaller ones are many, and none of them matters. */
const SHARE_MIN = 0.004
const REPO_URL = new URL('../..', import.meta.url).href

/** `cpuUs` of CPU time went into `calls`. */
export function printProfile(file: string, calls: number, cpuUs: number): void {
  const profile: Profile = JSON.parse(readFileSync(file, 'utf8'))
  const selfUs = selfTimes(profile)
  const shares = (keyOf: (frame: Frame) => string) => {
    const sums = new Map<string, number>()
    for (const { callFrame, id } of profile.nodes) {
      const key = keyOf(callFrame)
      sums.set(key, (sums.get(key) ?? 0) + (selfUs.get(id) ?? 0))
    }
    sums.delete('(idle)')
    const allUs = [...sums.values()].reduce((sum, us) => sum + us, 0)
    return [...sums].map(([name, us]) => ({ name, share: us / allUs })).sort(bySize)
  }
  printShares(`where (${calls} calls)`, shares(roomOf), calls, cpuUs)
  printShares('function', shares(nameOf).slice(0, FUNCTIONS_SHOWN), calls, cpuUs)
}

type Share = { readonly name: string; readonly share: number }

function bySize(a: Share, b: Share): number {
  return b.share - a.share
}

function printShares(head: string, all: readonly Share[], calls: number, cpuUs: number): void {
  const shown = all.filter(({ share }) => share >= SHARE_MIN)
  const rows = shown.map(({ name, share }) => [
    name,
    ((share * cpuUs) / calls).toFixed(1),
    `${(share * 100).toFixed(1)} %`,
  ])
  printTable([head, 'CPU µs/call', 'share'], rows)
}

function selfTimes({ samples, timeDeltas }: Profile): ReadonlyMap<number, number> {
  const selfUs = new Map<number, number>()
  samples.forEach((id, at) => {
    selfUs.set(id, (selfUs.get(id) ?? 0) + (timeDeltas[at] ?? 0))
  })
  return selfUs
}

function roomOf({ functionName, url }: Frame): string {
  if (url.startsWith(REPO_URL)) {
    const path = url.slice(REPO_URL.length)
    if (path.startsWith('node_modules/')) return path.split('/').slice(0, 3).join('/')
    return path.split('/').slice(0, 2).join('/')
  }
  if (url.startsWith('node:')) return url
  return functionName.startsWith('(') ? functionName : 'native'
}

function nameOf({ functionName, lineNumber, url }: Frame): string {
  const place = url === '' ? '' : ` ${url.replace(REPO_URL, '')}:${lineNumber + 1}`
  return url === '' && functionName === '(idle)'
    ? '(idle)'
    : `${functionName || '(anonymous)'}${place}`
}
