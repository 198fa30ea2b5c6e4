/** The names of `\p{…}` in ECMA-262 that re2js knows, and what it calls them. The names of both are case-sensitive. */

/** Names of `\p{…}` in ECMA-262 that re2js has, and re2js's names for them. Both are case-sensitive. */
const CATEGORIES =
  'L Letter,LC Cased_Letter,Lu Uppercase_Letter,Ll Lowercase_Letter,Lt Titlecase_Letter,Lm Modifier_Letter,' +
  'Lo Other_Letter,M Mark,Mn Nonspacing_Mark,Mc Spacing_Mark,Me Enclosing_Mark,N Number,Nd Decimal_Number,' +
  'Nl Letter_Number,No Other_Number,P Punctuation,Pc Connector_Punctuation,Pd Dash_Punctuation,' +
  'Ps Open_Punctuation,Pe Close_Punctuation,Pi Initial_Punctuation,Pf Final_Punctuation,Po Other_Punctuation,' +
  'S Symbol,Sm Math_Symbol,Sc Currency_Symbol,Sk Modifier_Symbol,So Other_Symbol,Z Separator,' +
  'Zs Space_Separator,Zl Line_Separator,Zp Paragraph_Separator,C Other,Cc Control,Cf Format,Cs Surrogate,' +
  'Co Private_Use,Cn Unassigned'
const BINARY =
  'Any,Ascii ASCII,ASCII_Hex_Digit AHex,Alphabetic Alpha,Dash,Emoji,Emoji_Component EComp,Emoji_Modifier EMod,' +
  'Emoji_Modifier_Base EBase,Emoji_Presentation EPres,Extended_Pictographic ExtPict,Hex_Digit Hex,' +
  'Lowercase Lower,Math,Quotation_Mark QMark,Uppercase Upper,White_Space space'
const SCRIPTS =
  'Arabic Arab,Armenian Armn,Bengali Beng,Bopomofo Bopo,Cherokee Cher,Common Zyyy,Cyrillic Cyrl,' +
  'Devanagari Deva,Ethiopic Ethi,Georgian Geor,Greek Grek,Gujarati Gujr,Gurmukhi Guru,Han Hani,Hangul Hang,' +
  'Hebrew Hebr,Hiragana Hira,Inherited Zinh,Kannada Knda,Katakana Kana,Khmer Khmr,Lao Laoo,Latin Latn,' +
  'Malayalam Mlym,Mongolian Mong,Myanmar Mymr,Sinhala Sinh,Tamil Taml,Telugu Telu,Thaana Thaa,Thai,Tibetan Tibt'

const PROPERTY_NAMES = new Map([
  ...listNames(CATEGORIES, ['', 'General_Category=', 'gc=']),
  ...listNames(SCRIPTS, ['Script=', 'sc=']),
  ...listNames(BINARY, ['']),
])

/** Each entry is the name of re2js, followed by other names of ECMA-262. */
function listNames(
  entries: string,
  prefixes: readonly string[],
): readonly (readonly [string, string])[] {
  return entries.split(',').flatMap((entry) => {
    const names = entry.split(' ')
    const [re2Name = ''] = names
    return names.flatMap((name) => prefixes.map((prefix) => [`${prefix}${name}`, re2Name] as const))
  })
}

/** The name of re2js for a property; undefined if re2js does not have it. */
export function re2Property(name: string): string | undefined {
  return PROPERTY_NAMES.get(name)
}
