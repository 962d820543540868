# cmake -DTEXT=<file> -DHEADER=<include> -DFUNCTION=<name> -DOUTPUT=<source> -P EmbedText.cmake
# A source with a function of namespace plumbline::suite that returns the text of a file.
file(READ ${TEXT} text)
file(WRITE ${OUTPUT} "#include \"${HEADER}\"

namespace plumbline::suite {

std::string_view ${FUNCTION}() {
  static constexpr std::string_view kText = R\"_embedded_(${text})_embedded_\";
  return kText;
}

}  // namespace plumbline::suite
")
