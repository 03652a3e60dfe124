import { arg, define } from "../../cli/define.ts";
import { usage } from "../../errors.ts";

/** Each script passes the words to `playtest __complete` and offers the printed lines: word, tab, summary. */
const scripts: Record<string, string> = {
  bash: `_playtest() {
  local IFS=$'\\n' word words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=()
  while read -r word; do
    printf -v word %q "$word"
    COMPREPLY+=("$word")
  done < <(playtest __complete -- "\${words[@]//\\\\/}" 2>/dev/null | cut -f1)
}
complete -o default -F _playtest playtest
`,
  zsh: `#compdef playtest
_playtest() {
  local -a lines options
  lines=("\${(@f)$(playtest __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  local line about
  for line in $lines; do
    about=\${\${line#*$'\\t'}//\\\\/\\\\\\\\}
    [[ -n $line ]] && options+=("\${\${line%%$'\\t'*}//:/\\\\:}\${about:+:$about}")
  done
  (( $#options )) && _describe playtest options || _files
}
if [[ $funcstack[1] == _playtest ]]; then _playtest "$@"; else compdef _playtest playtest; fi
`,
  fish: `function __playtest_complete
  set -l lines (playtest __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if set -q lines[1]
    printf '%s\\n' $lines
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c playtest -f -a '(__playtest_complete)'
`,
  // The words are passed in the environment, because arguments would be requoted by PowerShell and by npm's playtest.ps1.
  powershell: `Register-ArgumentCompleter -Native -CommandName playtest -ScriptBlock {
  param($word, $ast, $position)
  Set-StrictMode -Off
  $ErrorActionPreference = 'Continue'
  $words = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object {
    if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
  })
  $code = $global:LASTEXITCODE
  $encoding = [Console]::OutputEncoding
  try {
    $env:PLAYTEST_WORDS = ($words + "$word".TrimStart([char[]]@([char]34, [char]39))) -join "\`n"
    try { [Console]::OutputEncoding = [System.Text.UTF8Encoding]::new($false) } catch { }
    playtest __complete --env 2>$null | ForEach-Object {
      $text, $about = $_ -split "\`t", 2
      $typed = $text
      if ($text -notmatch '^[A-Za-z-][\\w.=-]*$') {
        $typed = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($text) + "'"
      }
      if (-not $about) { $about = $text }
      [System.Management.Automation.CompletionResult]::new($typed, $text, 'ParameterValue', $about)
    }
  } finally {
    Remove-Item Env:PLAYTEST_WORDS -ErrorAction SilentlyContinue
    try { [Console]::OutputEncoding = $encoding } catch { }
    $global:LASTEXITCODE = $code
  }
}
`,
};

export const completion = define({
  name: "completion",
  summary: "Generate a shell completion script",
  args: { shell: arg.choice(Object.keys(scripts)) },
  description:
    "Completes commands, flags, values and recently listed ids, without a request to the server. Add the line for your shell to its " +
    "startup file: ~/.bashrc, ~/.zshrc (after compinit) or $PROFILE.",
  examples: [
    "source <(playtest completion bash)",
    "source <(playtest completion zsh)",
    "playtest completion fish > ~/.config/fish/completions/playtest.fish",
    "playtest completion powershell | Out-String | Invoke-Expression",
  ],
  async run({ args }, ctx) {
    const script = Object.hasOwn(scripts, args.shell) ? scripts[args.shell] : undefined;
    if (script === undefined)
      throw usage(`Unsupported shell ${JSON.stringify(args.shell)}.`, `Supported shells: ${Object.keys(scripts).join(", ")}.`);
    return ctx.verbatim(script, { shell: args.shell, script });
  },
});
