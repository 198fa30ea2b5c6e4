/** Folders of programs on each system. */
import { join } from 'node:path'
import type { Place } from './client.ts'

/** Returns `~/Library/Application Support`, `%APPDATA%` or `~/.config`. */
export function appSupport({ env, home, platform }: Place): string {
  if (platform === 'darwin') return join(home, 'Library/Application Support')
  if (platform === 'win32') return env['APPDATA'] ?? join(home, 'AppData/Roaming')
  return env['XDG_CONFIG_HOME'] ?? join(home, '.config')
}

export function inHome(...path: readonly string[]): (place: Place) => readonly string[] {
  return ({ home }) => [join(home, ...path)]
}

export function inProject(...path: readonly string[]): (place: Place) => readonly string[] {
  return ({ cwd }) => [join(cwd, ...path)]
}

export function inAppSupport(...path: readonly string[]): (place: Place) => readonly string[] {
  return (place) => [join(appSupport(place), ...path)]
}

/** Names the object that holds the servers; its path in the file is the same on every system. */
export function under(...path: readonly string[]): () => readonly string[] {
  return () => path
}
