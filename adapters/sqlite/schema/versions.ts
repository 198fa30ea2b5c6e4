/** The schema, version by version. A version that was released is never edited: a change is a new one. */
import { VERSION_1 } from './version-1.ts'

export const SCHEMA_VERSIONS: readonly string[] = [VERSION_1]
