/**
 * The stage that is deployed to emulators, of the shape of prod. Its upstreams run on this machine,
 * where a function in a container reaches the emulator as localhost.localstack.cloud; every call has
 * its log line; and `signedAccess` has the role of a fixture.
 */
import { join } from 'node:path'
import type { Stage } from '../../lib/stage.ts'
import { loadStage } from '../../lib/stage-file.ts'

export const CONFIG = join(import.meta.dirname, 'skillgate.config.json')

export const EMULATED_STAGE: Stage = loadStage('emulated', { given: CONFIG, env: {}, cwd: '/' })
