/**
 * Makes a change in a client's configuration, by the client's own command or in its file, and
 * prints what changed. The backup is written without the server, so no copy of the key stays
 * behind.
 */

import type { Server } from '../../core/clients/server-entry.ts'
import { type Invocation, isOn } from '../command/command.ts'
import { toFields } from '../gateway/admin-client.ts'
import { printMarkedLine } from '../terminal/colours.ts'
import { type Output, printNote } from '../terminal/shell.ts'
import { type ConfigChange, readFileText, removeServer } from './config-change.ts'
import { collectTexts, formatDiff } from './config-diff.ts'
import {
  closeToOthers,
  getBackup,
  isInRepository,
  readConfigText,
  removeFile,
  replaceFile,
} from './config-file.ts'
import { readValueAt } from './edit-config.ts'

/** The form of the gateway's keys. */
const KEY = /sg[ks]_[\w-]{8,}/

/**
 * Writes the change and prints notes to stderr. Throws a CommandFault if the file cannot be
 * written.
 */
export async function makeChange(call: Invocation, change: ConfigChange): Promise<void> {
  const { after, at, before, client, removes } = change
  const { shell } = call
  if (before === after) {
    printNote(shell, `${at.path} ${removes ? 'does not have it' : 'has it already'}.`)
    if (change.server.auth.kind === 'key' && closeToOthers(at)) noteTightened(call, at.path)
  } else {
    printNote(shell, at.path)
    printDiff(shell.err, formatDiff(before, after, listOpenTexts(change)))
    if (!(await runOwnCommand(call, change))) replace(call, change)
    if (removes) printNote(shell, client.reload)
  }
  if (removes) cleanBackup(call, change)
}

function printDiff(err: Output, diff: string): void {
  for (const line of diff.split('\n').slice(0, -1)) printMarkedLine(err, line)
}

/** Returns the values of an entry that are no secrets: all of them but the key. */
function listOpenTexts({ client, server }: ConfigChange): ReadonlySet<string> {
  const open: Server =
    server.auth.kind === 'key' ? { ...server, auth: { kind: 'variable' } } : server
  return new Set(collectTexts([client.entry(open), client.inputs ?? []]))
}

function replace(call: Invocation, change: ConfigChange): void {
  const { after, at, before, removes, server } = change
  const { shell } = call
  const holdsKey = server.auth.kind === 'key'
  const kept = removeServer(call, change, before)
  const done = replaceFile(at, { text: after, backup: removes ? undefined : kept, holdsKey })
  if (done.backup !== undefined) {
    const without = kept === before ? '' : `, without ${server.name}`
    printNote(shell, `The file as it was${without}: ${done.backup}`)
  }
  if (done.isTightened) noteTightened(call, done.real)
  if (holdsKey && isInRepository(done.real)) {
    printNote(shell, `${done.real} is in a git repository: keep it out of commits, it holds a key.`)
  }
}

function noteTightened({ shell }: Invocation, path: string): void {
  printNote(shell, `Others could read ${path}; it holds a key, and now only you can.`)
}

/** Removes the server, and with it the key, from the backup of an earlier change. */
function cleanBackup(call: Invocation, change: ConfigChange): void {
  const { shell } = call
  const at = getBackup(change.at)
  const text = readConfigText(at)
  if (text === undefined) return
  const left = removeServer(call, change, text)
  if (left === text) return
  if (left !== undefined) {
    replaceFile(at, { text: left, backup: undefined, holdsKey: true })
    printNote(shell, `${change.server.name} was taken out of ${at.path}, too.`)
  } else if (KEY.test(text)) {
    removeFile(at)
    printNote(shell, `${at.path} held a key and was deleted.`)
  }
}

/**
 * Returns false if the client's program is not installed, or if its file does not have the wanted
 * entry afterwards.
 */
async function runOwnCommand(call: Invocation, change: ConfigChange): Promise<boolean> {
  const { client, place, server } = change
  const { own } = client
  // A key in the arguments would be visible in the list of processes. The command of Codex has no
  // project scope, and without a key it waits until somebody has logged in.
  const isUnfit =
    server.auth.kind === 'key' ||
    (client.id === 'codex' && (place.scope === 'project' || server.auth.kind === 'login'))
  if (own === undefined || isUnfit || isOn(call, 'edit-file')) return false
  const { collect } = call.shell.programs
  const remove = own.remove(server.name, place.scope)
  const add = own.add(server, place.scope)
  // The clients' commands refuse to add a name that exists, so the old entry is removed first.
  const removed = hasEntry(call, change, change.before)
    ? await collect(own.program, remove)
    : { code: 0 }
  if (removed?.code !== 0) return false
  if (!change.removes && (await collect(own.program, add))?.code !== 0) return false
  if (!isDone(call, change)) return false
  printNote(call.shell, `Done by ${[own.program, ...(change.removes ? remove : add)].join(' ')}`)
  return true
}

/**
 * Checks the file after the command, because another version of the client may write another file.
 */
function isDone(call: Invocation, change: ConfigChange): boolean {
  const text = readConfigText(change.at) ?? ''
  if (change.removes) return !hasEntry(call, change, text)
  return toFields(readEntry(call, change, text))['url'] === change.server.url
}

function hasEntry(call: Invocation, change: ConfigChange, text: string): boolean {
  return readEntry(call, change, text) !== undefined
}

function readEntry(call: Invocation, change: ConfigChange, text: string): unknown {
  const at = [...change.place.servers(call.shell), change.server.name]
  return readValueAt(readFileText(change.client, change.at.path, text), at)
}
