/** Reads where the function caller is, which reaches private hosts; ADR 0121. */
import { describeRule } from '../../core/settings/read-setting.ts'
import { FUNCTION_SETTINGS } from '../../core/settings/table.ts'
import { makeRegionalUrl } from '../aws/partition.ts'
import type { Config, SigningConfig } from './config.ts'
import type { EnvReader } from './env-reader.ts'
import { readLambdaHosts } from './store-client.ts'

/** Replaces a region that was refused, since a URL is made from it. */
const PLACEHOLDER_REGION = 'invalid'

/** Undefined for a stage without private hosts. */
export function readCallerFunction(from: EnvReader, signing: SigningConfig): Config['caller'] {
  if (from.setting('privateHosts').length === 0) return undefined
  const functionArn = from.variable('CALLER_FUNCTION') ?? ''
  if (functionArn === '') {
    const rule = describeRule(FUNCTION_SETTINGS.CALLER_FUNCTION, 'function')
    from.refuse(`CALLER_FUNCTION: is missing, and PRIVATE_HOSTS is set; give ${rule}`)
  }
  const { endpoint, kinds } = readLambdaHosts(from)
  const own = makeRegionalUrl('lambda', signing.region || PLACEHOLDER_REGION, kinds)
  return { functionArn, endpoint: endpoint ?? own, ...signing }
}
