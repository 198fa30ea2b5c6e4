/** Where the twin's data folder has its store; a folder of an earlier build is refused with a line that says what to do. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { StartFault } from '../start-fault.ts'

/** Stores of builds before this one, which it cannot read. */
const EARLIER = ['store.sqlite', 'dynamodb.sqlite', 'memory.sqlite']

export function storeFile(folder: string): string {
  return join(folder, 'items.sqlite')
}

/** What the store does not keep for ever. */
export function archiveFolder(folder: string): string {
  return join(folder, 'archive')
}

/** Throws StartFault when an earlier build began this folder; nothing in it is touched. */
export function checkFolder(folder: string): void {
  if (existsSync(storeFile(folder))) return
  const earlier = EARLIER.find((name) => existsSync(join(folder, name)))
  if (earlier === undefined) return
  throw new StartFault(
    `Data folder ${folder} holds ${earlier} of an earlier Skillgate, which this one cannot read: move the folder away to start from nothing, or choose another with --data FOLDER.`,
  )
}
