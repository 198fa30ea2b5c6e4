/**
 * Every TCP port that a process and all that it started listen on, found where the kernel keeps them
 * (/proc, so on Linux): nobody has to know what was started.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export type ListeningPort = {
  readonly port: number
  /** Whether it can be reached from here: a process may have a network of its own. */
  readonly isHere: boolean
}

const LISTEN = '0A'

export function listeningPorts(pid: number): readonly ListeningPort[] {
  return treeOf(pid).flatMap(portsOf)
}

/** The process and its descendants. */
function treeOf(pid: number): readonly number[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), parentOf(Number(name))]),
  )
  const children = (of: number): readonly number[] =>
    [...parents].flatMap(([child, parent]) => (parent === of ? [child, ...children(child)] : []))
  return [pid, ...children(pid)]
}

/** Undefined when it has ended meanwhile. */
function parentOf(pid: number): number | undefined {
  const stat = readOr(`/proc/${pid}/stat`)
  // The name, in brackets, may hold anything; state and parent come behind it.
  return stat === '' ? undefined : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

function portsOf(pid: number): readonly ListeningPort[] {
  const sockets = new Set(linksIn(`/proc/${pid}/fd`))
  const isHere = linkOr(`/proc/${pid}/ns/net`) === linkOr('/proc/self/ns/net')
  return ['tcp', 'tcp6']
    .flatMap((table) => readOr(`/proc/${pid}/net/${table}`).split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === LISTEN && sockets.has(`socket:[${fields[9]}]`))
    .map(([, local = '']) => ({ port: Number.parseInt(local.split(':')[1] ?? '', 16), isHere }))
}

function linksIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => linkOr(`${folder}/${name}`))
  } catch {
    // Ended, or somebody else's: then nothing of it is ours.
    return []
  }
}

function linkOr(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
