/**
 * The profile `local`, which the twin writes when it starts, so that the command line works without
 * a login. A profile of that name that a person made is not changed.
 */
import { type ConfigFile, readConfig, type StoredCredential, writeConfig } from './config-file.ts'

export const TWIN_PROFILE = 'local'

/** Returns true if `local` is the profile of this twin now. */
export function writeTwinProfile(
  path: string,
  twin: { readonly origin: string; readonly credential: StoredCredential },
): boolean {
  const config = readConfig(path)
  const before = config.profiles[TWIN_PROFILE]
  if (before !== undefined && before.writtenBy !== 'twin') return false
  const profile = {
    adminUrl: `${twin.origin}/v1/admin`,
    mcpUrl: `${twin.origin}/mcp`,
    credential: twin.credential,
    writtenBy: 'twin' as const,
  }
  const next: ConfigFile = {
    current: config.current ?? TWIN_PROFILE,
    profiles: { ...config.profiles, [TWIN_PROFILE]: profile },
  }
  if (JSON.stringify(next) !== JSON.stringify(config)) writeConfig(path, next)
  return true
}
