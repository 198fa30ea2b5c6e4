/** A CPU profile of V8 as two tables: self time by room of the tree, and by function. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { printTable } from './figures.ts'

type Frame = { readonly functionName: string; readonly url: string; readonly lineNumber: number }
type Profile = {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const FUNCTIONS_SHOWN = 40
const REPO_URL = new URL('..', import.meta.url).href

/** Reads the one profile in `folder`; `calls` is what its time is shared out over. */
export function printProfile(folder: string, calls: number): void {
  const file = readdirSync(folder).find((name) => name.endsWith('.cpuprofile'))
  if (file === undefined) throw new Error('the process wrote no profile')
  const profile: Profile = JSON.parse(readFileSync(join(folder, file), 'utf8'))
  const selfUs = selfTimes(profile)
  const shares = (keyOf: (frame: Frame) => string) => {
    const sums = new Map<string, number>()
    for (const { callFrame, id } of profile.nodes) {
      const key = keyOf(callFrame)
      sums.set(key, (sums.get(key) ?? 0) + (selfUs.get(id) ?? 0))
    }
    sums.delete('(idle)')
    return [...sums].sort(([, a], [, b]) => b - a)
  }
  const rows = (entries: readonly (readonly [string, number])[]) => {
    const allUs = entries.reduce((sum, [, us]) => sum + us, 0)
    return (shown: number) =>
      entries
        .slice(0, shown)
        .map(([name, us]) => [
          name,
          (us / calls).toFixed(1),
          `${((us / allUs) * 100).toFixed(1)} %`,
        ])
  }
  const rooms = shares(roomOf)
  printTable([`where (${calls} calls)`, 'µs/call', 'share'], rows(rooms)(rooms.length))
  printTable(['function', 'µs/call', 'share'], rows(shares(nameOf))(FUNCTIONS_SHOWN))
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
