#compdef whisper-local
local -a commands
commands=(
  'transcribe:Turn recordings into text and subtitles'
  'history:Show, search, export and delete the sessions of `live --session`'
  'bench:Measure loading, spectrogram, encoder and decoder on this machine'
  'doctor:Show processor, libraries, models and settings'
  'completions:Print completions for a shell'
)
if (( CURRENT == 2 )); then
  _describe command commands
  return
fi
local command=$words[2]
shift words
(( CURRENT-- ))
case $command in
transcribe)
  _arguments -S \
    '--model=[weights, by name or path]:NAME|PATH:_files' \
    '-m[weights, by name or path]:NAME|PATH:_files' \
    '--model-dir=[look for named weights here first]:DIR:_files -/' \
    '--language=[language spoken; `auto` asks the model, `help` lists all]:NAME|CODE|auto:(auto help en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue)' \
    '-l[language spoken; `auto` asks the model, `help` lists all]:NAME|CODE|auto:(auto help en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue)' \
    '--task=[write down what is said, or its English translation]:transcribe|translate:(transcribe translate)' \
    '--translate[same as --task translate]' \
    '--compute-type=[arithmetic of the network]:auto|float32|bfloat16|int8:(auto float32 bfloat16 int8)' \
    '--backend=[library that multiplies matrices]:auto|openblas|onednn|reference:(auto openblas onednn reference)' \
    '--threads=[threads to compute with]:N: ' \
    '-t[threads to compute with]:N: ' \
    '--raw=[the input is samples without a header, such as s16le\:16000\:1 (encoding, rate, channels)]:FORMAT: ' \
    '--track=[sound track to take]:N: ' \
    '--offset=[start here]:TIME: ' \
    '--duration=[recognize so much]:TIME: ' \
    '--clip-timestamps=[recognize only from the first time to the second, from the third to the fourth, and so on; a last one alone runs to the end]:TIME,TIME,…: ' \
    '--beam-size=[beams of the search at temperature 0; 1 or None takes the best token each time]:N: ' \
    '--best-of=[samples to choose among at temperatures above 0]:N: ' \
    '--patience=[the beam search goes on until patience times beams have ended]:N: ' \
    '--length-penalty=[exponent of the length penalty; without it scores are divided by the length]:N: ' \
    '--temperature=[first sampling temperature]:N: ' \
    '--temperature-increment-on-fallback=[added when a window fails the tests below; None or 0 tries once]:N: ' \
    '--seed=[start of the random numbers at temperatures above 0]:N: ' \
    '--compression-ratio-threshold=[a window whose text compresses better fails]:N: ' \
    '--logprob-threshold=[a window with a smaller mean log probability fails]:N: ' \
    '--no-speech-threshold=[a window with a greater no-speech probability is passed over, unless its log probability is good]:N: ' \
    '--repetition-penalty=[above 1, what the window holds already becomes less likely]:N: ' \
    '--no-repeat-ngram-size=[no run of so many tokens comes twice in a window; 0 is off]:N: ' \
    '--max-new-tokens=[most tokens of a window]:N: ' \
    '--initial-prompt=[text to put before the first window]:TEXT: ' \
    '--carry-initial-prompt=-[put it before every window]::true or false:(true false)' \
    '--prefix=[text that the first window begins with]:TEXT: ' \
    '--hotwords=[words to expect, put before every window]:TEXT: ' \
    '--condition-on-previous-text=-[put the text so far before each window]::true or false:(true false)' \
    '--suppress-tokens=[tokens never produced; -1 stands for what is not speech, an empty list for none]:ID,ID,…: ' \
    '--no-suppress-blank[a window may begin with a blank or its end]' \
    '--max-initial-timestamp=[a window'\''s first time, at most, in seconds]:N: ' \
    '--without-timestamps=-[recognize without times; a window becomes one segment]::true or false:(true false)' \
    '--word-timestamps=-[find the times of words, and better ones of segments]::true or false:(true false)' \
    '--prepend-punctuations=[these signs join the next word]:SIGNS: ' \
    '--append-punctuations=[these signs join the word before]:SIGNS: ' \
    '--hallucination-silence-threshold=[drop what was probably invented within longer silences, in seconds]:N: ' \
    '--highlight-words=-[underline each word while it is spoken (srt, vtt)]::true or false:(true false)' \
    '--max-line-width=[characters of a subtitle line]:N: ' \
    '--max-line-count=[lines of a subtitle, with --max-line-width]:N: ' \
    '--max-words-per-line=[words of a subtitle, without --max-line-width]:N: ' \
    '*--output-format=[write files\: txt, srt, vtt, tsv, json, csv, lrc; several lists add up]:FORMAT,…|all:(all txt srt vtt tsv json csv lrc)' \
    '*-f[write files\: txt, srt, vtt, tsv, json, csv, lrc; several lists add up]:FORMAT,…|all:(all txt srt vtt tsv json csv lrc)' \
    '--output-dir=[write files here; without --output-format txt, vtt, srt, tsv and json]:DIR:_files -/' \
    '-o[write files here; without --output-format txt, vtt, srt, tsv and json]:DIR:_files -/' \
    '--no-timestamps[text alone on standard output]' \
    '--skip-existing[pass over inputs whose files are all there]' \
    '--print-colors=-[colour words on standard output by their probability; with it words are timed]::true or false:(true false)' \
    '--color=[colours and dim text]:auto|always|never:(auto always never)' \
    '--quiet[only errors on standard error; where files are written, no text on standard output]' \
    '-q[only errors on standard error; where files are written, no text on standard output]' \
    '--verbose=-[tell more on standard error; false is --quiet]::true or false:(true false)' \
    '-v[tell more on standard error; false is --quiet]' \
    '--no-progress[no progress line on a terminal]' \
    '--device=[the processor computes; no other device is used]:cpu:(cpu)' \
    '--fp16=-[as openai-whisper on a processor\: a warning, and float32]::true or false:(true false)' \
    '--no-config[leave the config file unread ($XDG_CONFIG_HOME/whisper-local/config)]' \
    '--help[show this help]' \
    '-h[show this help]' \
    '--version[show the version]' \
    '*:input:_files'
  ;;
history)
  commands=(
    'list:List sessions, the latest first'
    'show:Show what a session holds'
    'export:Write a session as text, subtitles or data'
    'search:Search all sessions'
    'delete:Delete sessions with their saved sound'
    'recover:Decode what a broken session had saved but not recognized'
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
  list)
    _arguments -S \
      '--json[one JSON array instead of a table]' \
      '--no-config[leave the config file unread ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help]' \
      '-h[show this help]' \
      '--version[show the version]' \
      '*:input: '
    ;;
  show)
    _arguments -S \
      '--no-timestamps[text alone]' \
      '--wall-clock[when it was spoken (UTC) instead of the place in the session]' \
      '--no-config[leave the config file unread ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help]' \
      '-h[show this help]' \
      '--version[show the version]' \
      '*:input: '
    ;;
  export)
    _arguments -S \
      '--highlight-words=-[underline each word while it is spoken (srt, vtt)]::true or false:(true false)' \
      '--max-line-width=[characters of a subtitle line]:N: ' \
      '--max-line-count=[lines of a subtitle, with --max-line-width]:N: ' \
      '--max-words-per-line=[words of a subtitle, without --max-line-width]:N: ' \
      '*--output-format=[txt, srt, vtt, tsv, json, csv, lrc; several lists add up; without it txt, with --output-dir txt, vtt, srt, tsv and json]:FORMAT,…|all:(all txt srt vtt tsv json csv lrc)' \
      '*-f[txt, srt, vtt, tsv, json, csv, lrc; several lists add up; without it txt, with --output-dir txt, vtt, srt, tsv and json]:FORMAT,…|all:(all txt srt vtt tsv json csv lrc)' \
      '--output-dir=[write files here]:DIR:_files -/' \
      '-o[write files here]:DIR:_files -/' \
      '--no-config[leave the config file unread ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help]' \
      '-h[show this help]' \
      '--version[show the version]' \
      '*:input: '
    ;;
  search)
    _arguments -S \
      '--raw[the words are a query in SQLite'\''s FTS5 language]' \
      '--substring[find the letters as they stand, also within words]' \
      '--limit=[results at most]:N: ' \
      '--no-config[leave the config file unread ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help]' \
      '-h[show this help]' \
      '--version[show the version]' \
      '*:input: '
    ;;
  delete)
    _arguments -S \
      '--yes[do not ask]' \
      '-y[do not ask]' \
      '--vacuum[then give the space back and leave nothing of the text on the disk]' \
      '--no-config[leave the config file unread ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help]' \
      '-h[show this help]' \
      '--version[show the version]' \
      '*:input: '
    ;;
  recover)
    _arguments -S \
      '--model=[weights, by name or path]:NAME|PATH:_files' \
      '-m[weights, by name or path]:NAME|PATH:_files' \
      '--model-dir=[look for named weights here first]:DIR:_files -/' \
      '--compute-type=[arithmetic of the network]:auto|float32|bfloat16|int8:(auto float32 bfloat16 int8)' \
      '--backend=[library that multiplies matrices]:auto|openblas|onednn|reference:(auto openblas onednn reference)' \
      '--threads=[threads to compute with]:N: ' \
      '-t[threads to compute with]:N: ' \
      '--no-config[leave the config file unread ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help]' \
      '-h[show this help]' \
      '--version[show the version]' \
      '*:input: '
    ;;
  esac
  ;;
bench)
  _arguments -S \
    '--model=[weights, by name or path]:NAME|PATH:_files' \
    '-m[weights, by name or path]:NAME|PATH:_files' \
    '--model-dir=[look for named weights here first]:DIR:_files -/' \
    '--compute-type=[arithmetic of the network]:auto|float32|bfloat16|int8:(auto float32 bfloat16 int8)' \
    '--backend=[library that multiplies matrices]:auto|openblas|onednn|reference:(auto openblas onednn reference)' \
    '--threads=[threads to compute with]:N: ' \
    '-t[threads to compute with]:N: ' \
    '--tokens=[text tokens to produce, no more and no fewer]:N: ' \
    '--beam-size=[beams of the search]:N: ' \
    '--rounds=[rounds to take the median of]:N: ' \
    '--json[one JSON object instead of a table]' \
    '--live[play recordings to a live session in simulated time]' \
    '--hours=[with --live\: repeat the recordings, with pauses, for so long]:N: ' \
    '--commit=[with --live\: when words become final]:utterance|agree|align:(utterance agree align)' \
    '--step=[with --live\: seconds between passes]:N: ' \
    '--processor-time[with --live\: count the processor'\''s time, not the clock'\''s]' \
    '--no-config[leave the config file unread ($XDG_CONFIG_HOME/whisper-local/config)]' \
    '--help[show this help]' \
    '-h[show this help]' \
    '--version[show the version]' \
    '*:input: '
  ;;
doctor)
  _arguments -S \
    '--microphone[listen for a second, and show how loud it was]' \
    '--no-config[leave the config file unread ($XDG_CONFIG_HOME/whisper-local/config)]' \
    '--help[show this help]' \
    '-h[show this help]' \
    '--version[show the version]' \
    '*:input: '
  ;;
completions)
  _arguments -S \
    '--no-config[leave the config file unread ($XDG_CONFIG_HOME/whisper-local/config)]' \
    '--help[show this help]' \
    '-h[show this help]' \
    '--version[show the version]' \
    '*:input:(bash zsh fish)'
  ;;
esac
